// Runs in a tab of Chromium, from a folder on a static host, under its policy.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../../src/batch/extxyz/mod.ts";
import { lennardJonesModel } from "../../../src/onnx/mod.ts";
import { hooke, tempFolder } from "../../cli/session.ts";
import { testInChromium } from "../../e2e/chromium.ts";
import { MANIFEST, pairFrames, pairsModel } from "../../training/tuning/pairs_model.ts";
import { readZip } from "../../../src/formats/npz/zip.ts";
import { sourceOf } from "../../../src/formats/source.ts";
import {
  download,
  type Dropped,
  ended,
  fillIn,
  openTab,
  serveStatic,
  shownHash,
  start,
  startChromium,
  type Tab,
} from "./tab_page.ts";

const encoder = new TextEncoder();
const TEXT = writeExtxyz([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);
const ARGON: Dropped = { name: "argon.xyz", bytes: encoder.encode(TEXT) };
const MD = { temperature: "40", dt: "4", steps: "200" };

/** Runs a command on files in a folder, and returns a file that it has written. */
async function byCommand(
  args: readonly string[],
  files: readonly Dropped[],
  result: string,
): Promise<string> {
  await using folder = await tempFolder();
  const before = Deno.cwd();
  Deno.chdir(folder.path);
  try {
    for (const { name, bytes } of files) await Deno.writeFile(name, bytes);
    const placed = args.map((arg) => arg.endsWith(".onnx") ? `${folder.path}/${arg}` : arg);
    const { code, err } = await hooke([...placed, "--quiet"]);
    assertEquals([code, err], [0, ""]);
    return await Deno.readTextFile(result);
  } finally {
    Deno.chdir(before);
  }
}

/** Throws unless positions agree within a tolerance, Å. */
function assertNearPositions(text: string, wanted: string, tolerance: number): void {
  const [a, b] = [text, wanted].map((each) => parseExtxyz(each)[0]!.positions);
  const off = Math.max(...a!.map((x, i) => Math.abs(x - b![i]!)));
  assert(off <= tolerance, `${off} Å off`);
}

async function textFile(tab: Tab, path: string): Promise<string> {
  return new TextDecoder().decode(await download(tab, path));
}

testInChromium("runs in a tab", async (t) => {
  await using host = await serveStatic();
  const browser = await startChromium();
  const step = (
    name: string,
    work: (tab: Tab) => Promise<void>,
    fragment = "",
    isOffline = false,
  ) =>
    t.step(name, async () => {
      const tab = await openTab(browser, host.url + fragment, isOffline);
      try {
        await work(tab);
      } finally {
        await tab.context.close();
      }
    });
  let link = "";
  try {
    await step("a relaxation on wasm writes the bytes of hooke relax", async (tab) => {
      await fillIn(tab, "relax", [ARGON], { fmax: "0.01", device: "wasm" });
      await start(tab);
      assertStringIncludes(await ended(tab), "Done on wasm: converged, ");
      const wanted = await byCommand(
        ["relax", "argon.xyz", "--fmax", "0.01"],
        [ARGON],
        "argon.relaxed.xyz",
      );
      assertEquals(await textFile(tab, "final.xyz"), wanted);
      assertMatch(await textFile(tab, "report.html"), /^<!doctype html>[^]*Last structure/);
      assertEquals(tab.complaints, []);
    });

    await step(
      "dynamics on wasm, and paused in between, have the bytes of hooke md",
      async (tab) => {
        await fillIn(tab, "md", [ARGON], { ...MD, device: "wasm" });
        await start(tab);
        await ended(tab);
        const options = "--temperature 40 --dt 4 --steps 200".split(" ");
        const wanted = await byCommand(
          ["md", "argon.xyz", ...options],
          [ARGON],
          "argon-md/final.xyz",
        );
        assertEquals(await textFile(tab, "final.xyz"), wanted);
        await tab.page.getByRole("button", { name: "Copy a link to this run" }).click();
        link = new URL(await tab.page.locator("#tab-link").inputValue()).hash;
        assertEquals(tab.complaints, []);
        assertEquals(host.asked.filter((path) => path.startsWith("ort/")), []);
      },
    );

    await step("a link starts nothing by itself, and repeats the run with equal bits", async () => {
      const tab = await openTab(browser, host.url + link);
      await tab.page.getByText("The link has filled in this form.").waitFor();
      assertEquals(await tab.page.locator("#tab-result").count(), 0);
      await start(tab);
      await ended(tab);
      const text = await tab.page.locator("#tab-hash").innerText();
      assertStringIncludes(text, "The link promises the same: every bit is equal.");
      await tab.context.close();
    });

    await step("a damaged link is an error in words", async (tab) => {
      await tab.page.getByText("Cannot read the link: it is incomplete or damaged").waitFor();
      await tab.page.locator("#task").waitFor();
    }, "#tab=1.AAAA");

    await step("dynamics on software WebGPU agree with hooke md", async (tab) => {
      const md = { ...MD, steps: "20", ensemble: "nve" };
      await fillIn(tab, "md", [ARGON], { ...md, device: "webgpu" });
      await start(tab);
      assertStringIncludes(await ended(tab), "Done on webgpu: 20 steps");
      const options = "--temperature 40 --dt 4 --steps 20 --ensemble nve".split(" ");
      const wanted = await byCommand(
        ["md", "argon.xyz", ...options],
        [ARGON],
        "argon-md/final.xyz",
      );
      assertNearPositions(await textFile(tab, "final.xyz"), wanted, 1e-3);
      assertEquals(tab.complaints, []);
    });

    await step(
      "a paused run is changed by a moved atom, logged, resumed and stopped",
      async (tab) => {
        const { page } = tab;
        await fillIn(tab, "md", [ARGON], { ...MD, steps: "100000000", device: "wasm" });
        await start(tab);
        await page.getByRole("button", { name: "Pause", exact: true }).click();
        await page.locator("#move-atom").waitFor();
        for (const [name, value] of Object.entries({ atom: "0", x: "0.5", y: "0.4", z: "0.3" })) {
          await page.locator(`#move-${name}`).fill(value);
        }
        await page.getByRole("button", { name: "Move", exact: true }).click();
        await page.locator("#tab-moves").filter({ hasText: "atom 0 was moved by" }).waitFor();
        const positions = Array.from(parseExtxyz(TEXT)[0]!.positions, (x) => x + 0.3);
        const drag = { atom: 1, positions, isDone: true };
        await page.evaluate(
          `document.querySelector(".viewer").dispatchEvent(new CustomEvent("atomdrag", {
        bubbles: true, detail: { ...${
            JSON.stringify(drag)
          }, positions: Float32Array.of(${drag.positions}) },
      }))`,
        );
        await page.locator("#tab-moves").filter({ hasText: "atom 1 was moved by" }).waitFor();
        const checkpoint = await download(tab, "checkpoint.hooke");
        const run = await download(tab, "run.zip");
        await page.getByRole("button", { name: "Resume", exact: true }).click();
        await page.locator("#move-atom").waitFor({ state: "hidden" });
        await page.getByRole("button", { name: "Stop", exact: true }).click();
        await page.getByRole("button", { name: "Stop the run" }).click();
        await ended(tab);
        await assertResumable(checkpoint, run);
        assertEquals(tab.complaints, []);
      },
    );

    await step("a dropped .onnx relaxes as hooke relax does with it", async (tab) => {
      const model = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });
      const files = [ARGON, { name: "lj.onnx", bytes: model }];
      await fillIn(tab, "relax", files, { device: "wasm", modelOptions: '{"cutoff": 5}' });
      await start(tab);
      assertStringIncludes(await ended(tab), "Done on wasm: converged, ");
      const args = ["relax", "argon.xyz", "--model", "lj.onnx", "--device", "wasm"];
      const wanted = await byCommand(
        [...args, "--runtime", "web", "--set", "modelOptions.cutoff=5"],
        files,
        "argon.relaxed.xyz",
      );
      assertNearPositions(await textFile(tab, "final.xyz"), wanted, 1e-4);
      assert(host.asked.includes("ort/ort-wasm-simd-threaded.wasm"));
      assertEquals(tab.complaints, []);
    });

    await step("a model is fine-tuned, with curves, and can be downloaded", async (tab) => {
      const frames = await pairFrames(pairsModel(0.5), 12, 0);
      const files = [
        { name: "pairs.onnx", bytes: pairsModel(0.3) },
        { name: "pairs.json", bytes: encoder.encode(JSON.stringify(MANIFEST)) },
        { name: "frames.xyz", bytes: encoder.encode(writeExtxyz(frames)) },
      ];
      await fillIn(tab, "fine-tune", files, {
        epochs: "4",
        lr: "0.02",
        energyKey: "REF_energy",
        forcesKey: "REF_forces",
      });
      await start(tab);
      const text = await ended(tab);
      const [, from, to] = /validation loss (\S+) → (\S+),/.exec(text)!.map(Number);
      assert(to! < from!, text);
      await tab.page.getByText("loss", { exact: false }).first().waitFor();
      const model = await download(tab, "model.onnx");
      assert(model.length > 200 && !equalBytes(model, files[0]!.bytes));
      assertEquals(tab.complaints, []);
    });

    await step("wrong input is an error in words", async (tab) => {
      const copper = { name: "cu.xyz", bytes: encoder.encode("1\n\nCu 0 0 0\n") };
      await fillIn(tab, "relax", [copper]);
      await start(tab);
      await tab.page.locator("#tab-result").filter({ hasText: "the structures have Cu" }).waitFor();
      await tab.page.getByRole("link", { name: "New run" }).click();
      await tab.page.locator(".dropped").filter({ hasText: "cu.xyz" }).waitFor();
    });

    await step("a worker that cannot be loaded is seen", async () => {
      const context = await browser.newContext({ serviceWorkers: "block" });
      const page = await context.newPage();
      await page.route("**/tab_worker.js", (route) => route.abort());
      await page.goto(host.url);
      await page.locator("#banner").filter({ hasText: "The worker of this tab has ended" })
        .waitFor();
      await context.close();
    });

    await step(
      "the page works without a network once it was loaded",
      async (tab) => {
        const { page, context } = tab;
        await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
        await context.setOffline(true);
        await page.reload();
        await page.locator("#task").waitFor();
        await fillIn(tab, "md", [ARGON], { ...MD, device: "wasm" });
        await start(tab);
        await ended(tab);
        assertMatch(await shownHash(tab), /^[0-9a-f]{64}$/);
      },
      "",
      true,
    );
  } finally {
    await browser.close();
  }
});

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}

/** Throws unless the commands read the checkpoint, and continue the unpacked run folder. */
async function assertResumable(checkpoint: Uint8Array, zip: Uint8Array): Promise<void> {
  await using folder = await tempFolder();
  await Deno.writeFile(`${folder.path}/checkpoint.hooke`, checkpoint);
  const inspected = await hooke(["inspect", `${folder.path}/checkpoint.hooke`]);
  assertStringIncludes(inspected.out, "its checksums are right");
  for (const [name, contents] of readZip(sourceOf(zip, "run.zip"))) {
    const path = `${folder.path}/${name}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeFile(path, contents());
  }
  const steps = Number(/steps +(\d+)/.exec(inspected.out)![1]);
  const args = ["resume", `${folder.path}/run`, "--steps", String(steps + 5), "--json"];
  const { code, out, err } = await hooke(args);
  assertEquals(code, 0, err);
  assertStringIncludes(out, `"step":${steps + 5}`);
}
