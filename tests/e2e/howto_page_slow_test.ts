// The page of docs/howto/run_in_a_page.md, as it is printed there.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Batch, fcc, rattle } from "@hooke/hooke/batch";
import { parseExtxyz, writeExtxyz } from "@hooke/hooke/batch/extxyz";
import { ConvergenceHook, FIRE } from "@hooke/hooke/dynamics";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import { lennardJonesModel } from "@hooke/hooke/onnx";
import { ROOT } from "../../tools/check/entry_points.ts";
import { openChromium, testInChromium } from "./chromium.ts";
import { runBundler } from "./served_page.ts";

const RUNTIME = "ort-wasm-simd-threaded.wasm";
const MODEL = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
const STRUCTURES = writeExtxyz(
  Batch.from([1, 2].map((seed) => rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, seed))),
);

/** Returns the files of the page's folder, by name. */
async function folderOfPage(): Promise<Map<string, string | Uint8Array<ArrayBuffer>>> {
  const text = await Deno.readTextFile(new URL("docs/howto/run_in_a_page.md", ROOT));
  const script = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await runBundler("--minify", `--output=${script}`, "mod.ts");
    const runtime = new URL(import.meta.resolve(`onnxruntime-web/${RUNTIME}`));
    return new Map<string, string | Uint8Array<ArrayBuffer>>([
      ["", /```html\n([^]*?)```/.exec(text)![1]!],
      ["hooke.js", await Deno.readTextFile(script)],
      [RUNTIME, await Deno.readFile(runtime)],
      ["model.onnx", MODEL],
      ["structures.xyz", STRUCTURES],
    ]);
  } finally {
    await Deno.remove(script);
  }
}

const TYPES: Readonly<Record<string, string>> = { "": "text/html", "hooke.js": "text/javascript" };

/** Serves files until it is disposed. */
function serve(files: ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>) {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const name = new URL(url).pathname.slice(1), body = files.get(name);
    if (body === undefined) return new Response("no such file", { status: 404 });
    return new Response(body, { headers: { "content-type": TYPES[name] ?? "text/plain" } });
  });
}

/** Relaxes the structures here as the page does. */
async function relaxedHere(): Promise<string> {
  const batch = Batch.from(parseExtxyz(STRUCTURES));
  await using model = await OnnxModel.open(MODEL, { runtime: "web" });
  await using engine = new FIRE({ model, dt: 0.1, hooks: [ConvergenceHook.fromFmax(0.01)] });
  return writeExtxyz(await engine.run(batch, 1000));
}

testInChromium(
  "the page to copy relaxes structures, and names the file that it misses",
  async (t) => {
    const files = await folderOfPage();
    await using server = serve(files);
    await using chromium = await openChromium();
    const address = `http://127.0.0.1:${server.addr.port}/`;
    await t.step("it has the energies that they have here", async () => {
      await using page = await chromium.open(address);
      const energies = (text: string) =>
        Array.from(text.matchAll(/ energy=(\S+)/g), ([, energy]) => Number(energy).toFixed(5));
      const text = await page.text("#log", /^(?!relaxing)/);
      assertEquals(energies(text).length, 2, text);
      assertEquals(energies(text), energies(await relaxedHere()));
    });
    for (const answer of ["nothing", "a page"] as const) {
      await t.step(`without the .wasm file, in whose place is ${answer}, it says so`, async () => {
        if (answer === "nothing") files.delete(RUNTIME);
        else files.set(RUNTIME, files.get("")!);
        await using page = await chromium.open(address);
        const text = await page.text("#log", /^(?!relaxing)/);
        assertStringIncludes(text, "Cannot open model.onnx: onnxruntime-web did not start");
        assertStringIncludes(text, `Serve ${RUNTIME} beside the script of the page`);
        assertStringIncludes(text, "npm package onnxruntime-web@1.30.0");
      });
    }
  },
);
