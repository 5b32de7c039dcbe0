/** Taps and patches on WebGPU: nothing left on the CPU, the same numbers, and replays that are right. */
import { assert, assertEquals } from "@std/assert";
import { openGpuDevice } from "../../../src/backend/mod.ts";
import {
  addTo,
  checkSession,
  dataOf,
  expose,
  type FeedsByInput,
  gpuForm,
  type Graph,
  openSession,
  replaceBy,
  scaleBy,
  statistics,
  zero,
} from "../../../src/onnx/mod.ts";
import { fast, few, slow } from "../../suite.ts";
import { gpuTest, lacksGpu } from "../gpu.ts";
import { COLUMNS, isClose, PLAIN, plainHistogram } from "./plain_statistics.ts";
import { f32, flag, graphOf, mlp, noise } from "./run.ts";
import { lacks } from "../../machine.ts";

/** Runs all of it on the GPU, and compares that with wasm, and replays with runs. */
async function assertFit(
  graph: Graph,
  feeds: readonly [FeedsByInput, FeedsByInput],
  dimensions: Readonly<Record<string, number>>,
): Promise<void> {
  const bytes = gpuForm(graph.encode());
  const gpuDevice = await openGpuDevice();
  try {
    const options = { device: "webgpu", gpuDevice, dimensions, cpuFallback: false } as const;
    await (await openSession(bytes, options)).dispose();
    const { webgpu, capture } = await checkSession(bytes, {
      feeds,
      capture: true,
      gpuDevice,
      dimensions,
      tolerance: { relative: 1e-4, absolute: 1e-5 },
    });
    assert(webgpu.ok, webgpu.text);
    assert(capture?.ok, capture?.text);
  } finally {
    gpuDevice.destroy();
  }
}

/** int64 → int32, and its atoms a little elsewhere. */
function twoFeeds(feeds: FeedsByInput): [FeedsByInput, FeedsByInput] {
  const narrowed: FeedsByInput = Object.fromEntries(
    Object.entries(feeds).map(([name, { data, dims }]) => {
      const numbers = data instanceof BigInt64Array ? Int32Array.from(data, Number) : data;
      return [name, { data: numbers, dims: dims! }];
    }),
  );
  const { data, dims } = narrowed["positions"]!;
  const moved = Float32Array.from(data as Float32Array, (x, i) => x + 0.02 * Math.sin(7 * i));
  return [narrowed, { ...narrowed, positions: { data: moved, dims: dims! } }];
}

/** Registers a test that needs a GPU and the real models. */
function modelTestOnGpu(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, ignore: lacks("models") || lacksGpu() });
}

slow(gpuTest)("statistics on WebGPU agree with their definition, and replay", async () => {
  const x = Float32Array.from(noise(600, 7), (value) => 1.5 * value);
  const write = () =>
    graphOf((g) => {
      const doubled = g.describe(g.mul(g.input("x", "f32", ["N", 3]), 2), ["N", 3]);
      g.output("y", g.op("Tanh", [doubled], "f32"), ["N", 3]);
    });
  const graph = write();
  const settings = { bins: 16, range: [-1, 1] } as const;
  const [, ...found] = statistics(graph, ["x", "mul", "y"], {
    of: [...COLUMNS, "histogram"],
    histogram: settings,
  });
  const [one] = statistics(graph, "y", { of: ["norm"] });
  const gpuDevice = await openGpuDevice();
  const session = await openSession(gpuForm(graph.encode()), { device: "webgpu", gpuDevice });
  for (const numbers of few([x.subarray(0, 3)], [x, x.subarray(0, 3), x.subarray(0, 0)])) {
    const outputs = await session.run({ x: f32(numbers, numbers.length / 3, 3) });
    const [tensor] = found;
    const doubled = Array.from(numbers, (value) => 2 * value);
    for (const [i, column] of tensor!.columns.entries()) {
      const actual = dataOf(outputs, tensor!.output!, "float32")[i]!;
      const expected = PLAIN[column](doubled);
      assert(isClose(actual, expected, 1e-5), `${column}: ${actual}, ${expected}`);
    }
    const counts = dataOf(outputs, tensor!.histogram!, "float32");
    assertEquals([...counts], plainHistogram(doubled, tensor!.edges));
    assertEquals(dataOf(outputs, one!.output!, "float32").length, 1);
  }
  await session.dispose();
  gpuDevice.destroy();
  await assertFit(graph, [{ x: f32(x, 200, 3) }, { x: f32(x.toReversed(), 200, 3) }], { N: 200 });
});

fast(gpuTest)("non-finite values have the same statistics on WebGPU as on wasm", async () => {
  const graph = graphOf((g) => {
    g.output("y", g.op("Neg", [g.input("x", "f32", ["N"])], "f32"), ["N"]);
  });
  const [found] = statistics(graph, "x", {
    of: [...COLUMNS, "histogram"],
    histogram: { bins: 3, range: [-1, 1] },
  });
  const gpuDevice = await openGpuDevice();
  const session = await openSession(graph.encode(), { device: "webgpu", gpuDevice });
  for (const x of [[1, NaN, -2, Infinity], [0.3, -Infinity, 0.1], [NaN, NaN, NaN], [1, -1]]) {
    const outputs = await session.run({ x: f32(x, x.length) });
    const numbers = [...dataOf(outputs, found!.output!, "float32")];
    for (const [i, column] of COLUMNS.entries()) {
      assert(isClose(numbers[i]!, PLAIN[column](x)), `${column} of ${x} is ${numbers[i]}`);
    }
    const counts = dataOf(outputs, found!.histogram!, "float32");
    assertEquals([...counts], plainHistogram(x, found!.edges));
  }
  await session.dispose();
  gpuDevice.destroy();
});

fast(gpuTest)("patches run completely on WebGPU, switched on and off, and replay", async () => {
  const graph = graphOf((g) => {
    const x = g.input("x", "f32", ["N", 4]);
    const values = [1, 2, 3, 4].map((factor) => g.describe(g.mul(x, factor), ["N", 4]));
    g.output("y", values.reduce((sum, value) => g.add(sum, value)), ["N", 4]);
  });
  replaceBy(graph, "mul", { input: "p", gate: true });
  addTo(graph, "mul_1", { input: "a", gate: true, shape: [4] });
  scaleBy(graph, "mul_2", { input: "s", gate: true });
  zero(graph, "mul_3", { gate: true });
  replaceBy(graph, "x", { input: "x2" });
  expose(graph, ["mul", "patch:mul_3.original", "x"]);
  const x = f32(noise(20, 1), 5, 4);
  const feeds = { x, x2: f32(noise(20, 6), 5, 4), p: f32(noise(20, 2), 5, 4), a: f32(noise(4), 4) };
  const at = (isOn: boolean) => ({
    ...feeds,
    s: f32([3]),
    "p.on": flag(isOn),
    "a.on": flag(isOn),
    "s.on": flag(isOn),
    "patch:mul_3.zero.on": flag(isOn),
  });
  await assertFit(graph, [at(true), at(false)], { N: 5 });
});

slow(modelTestOnGpu)(
  "a network with taps and a patch runs completely on WebGPU, and replays",
  async () => {
    const { graph, feeds } = mlp();
    const length = (name: string) => feeds[name]!.dims![0]!;
    const sizes = { N: length("positions"), E: length("shifts"), B: length("energy0") };
    replaceBy(graph, "tanh", { input: "p", gate: true });
    statistics(graph, ["tanh*", "linear*", "*.weight", "positions"], {
      of: [...COLUMNS, "histogram"],
      histogram: { bins: 8, range: [-1, 1] },
    });
    expose(graph, ["tanh_1", "positions"]);
    const p = f32(noise(64 * sizes.N), sizes.N, 64);
    const [still, moved] = twoFeeds(feeds);
    await assertFit(graph, [
      { ...still, p, "p.on": flag(true) },
      { ...moved, p, "p.on": flag(false) },
    ], sizes);
  },
);
