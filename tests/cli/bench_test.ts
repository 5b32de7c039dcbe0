/** The command `hooke bench`: figures, their table, and bounded time. */

import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { Batch, fcc } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { type Figures, measure } from "../../src/cli/bench/measure.ts";
import { type BenchResult, benchText } from "../../src/cli/bench/report.ts";
import { lennardJones } from "../../src/models/pair/mod.ts";
import { hooke, tempFolder } from "./session.ts";

const argon = fcc({ element: "Ar", a: 5.26, cells: 2 });

Deno.test("bench measures a structure, and says which device auto takes", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/a.xyz`;
  await Deno.writeTextFile(file, writeExtxyz([argon]));
  const limits = ["--device", "wasm", "--threads", "1", "--time", "0.05"];
  const { code, out, err } = await hooke(["bench", file, "--copies", "2", ...limits, "--json"]);
  assertEquals([code, err], [0, ""]);
  const { type, model, atoms, rows, auto, processors } = JSON.parse(out);
  assertEquals([type, model, atoms, rows.length], ["bench", "lj", 64, 1]);
  const [{ name, figures }] = rows;
  assertEquals(name, "wasm, 1 thread");
  assert(figures.msPerStep > 0 && figures.steps >= 1 && figures.memoryBytes >= 0);
  assertAlmostEquals(figures.atomStepsPerSecond * figures.msPerStep, 64_000, 1e-6);
  assertAlmostEquals(figures.nsPerDay * figures.msPerStep, 86.4, 1e-9);
  assert(processors >= 1 && auto.reason !== undefined);
});

Deno.test("a measurement ends when its time is spent, and after at least one step", async () => {
  let time = 0;
  const open = () =>
    Promise.resolve({
      model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 }),
      name: "lj",
      sha256: undefined,
      engine: { device: "wasm" as const },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  const measured = async (tick: number, budget: number) =>
    await measure(open, Batch.from([argon]), {
      budget,
      dt: 1,
      signal: new AbortController().signal,
      now: () => time += tick,
    });
  const slow = await measured(5000, 100);
  assertEquals([slow.steps, slow.msPerStep], [1, 5000]);
  const fast = await measured(100, 1000);
  assertEquals(fast.range, [100, 100]);
  assert(fast.steps > 1 && fast.steps < 10, `${fast.steps} steps`);
});

const figures: Figures = {
  msPerStep: 2,
  range: [1, 3],
  atomStepsPerSecond: 16000,
  nsPerDay: 43.2,
  steps: 10,
  openingSeconds: 0.5,
  memoryBytes: 12e6,
  runtime: undefined,
  note: undefined,
};

Deno.test("the table names what is missing, and the options of a faster device", () => {
  const result: BenchResult = {
    model: "a.onnx",
    structure: "a.xyz",
    atoms: 32,
    copies: 1,
    dt: 1,
    processors: 2,
    rows: [
      { name: "wasm, 1 thread", figures },
      { name: "native, 2 threads", figures: { ...figures, msPerStep: 0.5 } },
      { name: "webgpu", missing: "no adapter" },
    ],
    auto: { name: "wasm, 1 thread", reason: "webgpu is not used (no adapter)" },
    isOnnx: true,
  };
  assertEquals(benchText(result), [
    "a.onnx, a.xyz: 32 atoms, NVE with 1 fs",
    "",
    "device             ms/step  atom-steps/s  ns/day  opening  memory",
    "wasm, 1 thread           2       1.60e+4    43.2   0.50 s  +12 MB",
    "native, 2 threads      0.5       1.60e+4    43.2   0.50 s  +12 MB",
    "webgpu: not measured: no adapter",
    "",
    "--device auto takes wasm, 1 thread, because webgpu is not used (no adapter)",
    "native, 2 threads is 4.00 times as fast: pass --device wasm --runtime native --threads 2",
  ]);
  const rows = [{ name: "wasm, 1 thread", figures }];
  assertEquals(benchText({ ...result, rows }).at(-1)!.startsWith("--device auto takes"), true);
});

Deno.test("bench refuses unknown devices, and ONNX models without a structure", async () => {
  const { code, err } = await hooke(["bench", "--device", "gpu"]);
  assertEquals(code, 2);
  assertStringIncludes(err, "must be one of wasm, native, webgpu; did you mean webgpu?");
  const other = await hooke(["bench", "--model", "mace.onnx"]);
  assertStringIncludes(other.err, "Cannot measure --model mace.onnx without a structure");
});
