// The executable that `deno task compile` makes.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { compile, PERMISSIONS, startTime, unusedFiles } from "../../tools/compile/compile.ts";
import { lacksUnless } from "../machine.ts";
import { slowTest } from "../suite.ts";

/** The most that the executable has besides Deno's runtime, in bytes. */
const MOST = 68e6;

/**
 * Returns true if `deno compile` can get the runtime that it puts into executables: from DENORT_BIN, or from the
 * server of Deno, which not every network reaches.
 */
async function hasRuntime(): Promise<boolean> {
  if (Deno.env.has("DENORT_BIN")) return true;
  const { build: { target }, version: { deno } } = Deno;
  const address = `https://dl.deno.land/release/v${deno}/denort-${target}.zip`;
  const request = fetch(address, { method: "HEAD", signal: AbortSignal.timeout(10_000) });
  return await request.then(({ ok }) => ok, () => false);
}

/** Runs the executable in a folder. Returns what it printed. */
async function run(file: string, folder: string, ...args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(file, {
    args: [...args],
    cwd: folder,
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert(success, text + new TextDecoder().decode(stderr));
  return text;
}

/** Entries of onnxruntime-web that the package imports in Deno, and the files that these load. */
const LOADED = ["", "/webgpu", "/wasm"].concat(
  ["", ".asyncify"].flatMap((kind) =>
    ["mjs", "wasm"].map((ending) => `/ort-wasm-simd-threaded${kind}.${ending}`)
  ),
);

Deno.test("the executable leaves out no file of onnxruntime-web that Deno loads", async () => {
  const unused = await unusedFiles();
  assert(unused.length > 20);
  const loaded = LOADED.map((entry) =>
    fileURLToPath(import.meta.resolve(`onnxruntime-web${entry}`))
  );
  assertEquals(loaded.filter((file) => unused.includes(file)), []);
});

const canRun = await hasRuntime();

slowTest(
  "the executable embeds the command, its packages and no unused build of onnxruntime",
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      // Without its runtime the executable cannot run, but its content is the same with another program in its place.
      if (!canRun) Deno.env.set("DENORT_BIN", Deno.execPath());
      const listed = await compile(`${folder}/hooke`);
      assertStringIncludes(listed, "onnxruntime-web/1.30.0/*");
      assertStringIncludes(listed, "demo_argon.ts");
      assertEquals(listed.match(/onnxruntime-node|playwright/g), null);
      const [, embedded] = /Files: ([\d.]+)MB/.exec(listed)!;
      assert(Number(embedded) * 2 ** 20 < MOST, `${embedded} MB`);
      assertEquals(PERMISSIONS, ["--allow-read", "--allow-write=."]);
    } finally {
      if (!canRun) Deno.env.delete("DENORT_BIN");
      await Deno.remove(folder, { recursive: true });
    }
  },
);

// Not even registered without the runtime: in CI nothing may be ignored, and no package registry has this runtime.
const runTest = lacksUnless(canRun, "denort") ? () => {} : slowTest;

runTest(
  "the executable shows its help, runs the demo with kernels and a graph, and says how fast it starts",
  async () => {
    const folder = await Deno.makeTempDir(), file = `${folder}/hooke`;
    try {
      await compile(file);
      assertMatch(await run(file, folder, "--help"), /^Usage: hooke COMMAND/m);
      assert(await startTime(file) < 5000);
      for (const model of ["kernel", "onnx"] as const) {
        const flags = ["--systems", "4", "--steps", "20", "--device", "wasm", "--model", model];
        await run(file, folder, "demo", "--quiet", ...flags, "--out", model);
        assert((await Deno.stat(`${folder}/${model}/relaxed.xyz`)).size > 0);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);
