import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { openGpuDevice } from "../../src/backend/mod.ts";
import {
  checkSession,
  dataOf,
  decodeModel,
  gpuForm,
  Graph,
  GraphBuilder,
  openSession,
} from "../../src/onnx/mod.ts";
import { spreadPowers } from "../../src/onnx/session/spread_powers.ts";
import { gpuTest } from "./gpu.ts";
import { slow, test } from "../suite.ts";

/** Shapes of bases and of exponents. The first four need another shape on WebGPU. */
const SHAPES: readonly (readonly [base: readonly number[], exponent: readonly number[]])[] = [
  [[2, 8], [1, 1]],
  [[2, 8], [2, 1]],
  [[2, 1], [2, 8]],
  [[1, 1], [2, 8]],
  [[2, 1, 8], [3, 1]],
  [[8], [1, 1]],
  [[2, 7], [2, 1]],
  [[2, 8], []],
  [[2, 8], [1]],
  [[], [2, 8]],
  [[2, 8], [8]],
  [[2, 8], [2, 8]],
];

/** Returns a graph of base to the power of exponent, and its logarithm. */
function power(base: readonly (number | string)[], exponent: readonly (number | string)[]) {
  const g = new GraphBuilder("power");
  const result = g.op("Pow", [g.input("x", "f32", base), g.input("p", "f32", exponent)], "f32");
  g.output("y", result);
  g.output("z", g.op("Log", [result], "f32"));
  return g.build();
}

function count(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}

slow(gpuTest)(
  "powers whose operands have other last axes run on WebGPU, replayed, too",
  async () => {
    const gpuDevice = await openGpuDevice();
    for (const [base, exponent] of SHAPES.slice(0, 6)) {
      const feeds = [0.7, 0.9].map((first) => ({
        x: {
          data: Float32Array.from({ length: count(base) }, (_, i) => first + i / 10),
          dims: base,
        },
        p: {
          data: Float32Array.from({ length: count(exponent) }, (_, i) => [3, 2, 0.5, 32][i % 4]!),
          dims: exponent,
        },
      }));
      const bytes = gpuForm(power(base, exponent));
      const { webgpu, capture } = await checkSession(bytes, { feeds, gpuDevice, capture: true });
      assert(webgpu.ok && capture!.ok, `${JSON.stringify([base, exponent])}: ${webgpu.text}`);
    }
    gpuDevice.destroy();
  },
);

test("powers have the same bits with operands that were spread", async () => {
  for (const [base, exponent] of SHAPES) {
    const graph = new Graph(decodeModel(power(base, exponent)));
    spreadPowers(graph);
    const x = { data: Float32Array.from({ length: count(base) }, (_, i) => i - 1), dims: base };
    const p = { data: new Float32Array(count(exponent)).fill(3), dims: exponent };
    await using before = await openSession(power(base, exponent));
    await using after = await openSession(graph.encode());
    const [one, other] = [await before.run({ x, p }), await after.run({ x, p })];
    assertEquals(dataOf(other, "y", "float32"), dataOf(one, "y", "float32"));
    assertEquals(other["y"]!.dims, one["y"]!.dims);
    assertAlmostEquals(dataOf(one, "y", "float32")[0]!, -1);
  }
});

test("powers are left alone if both operands have one shape, or one is a scalar", () => {
  const rewritten = (base: readonly (number | string)[], exponent: readonly (number | string)[]) =>
    spreadPowers(new Graph(decodeModel(power(base, exponent))));
  assertEquals(rewritten(["N", 8], []), 0);
  assertEquals(rewritten(["N", 8], [1]), 0);
  assertEquals(rewritten([], ["N", 8]), 0);
  assertEquals(rewritten(["N", 8], ["N", 8]), 0);
  assertEquals(rewritten(["N", 8], ["M", 8]), 1);
  assertEquals(rewritten(["N", 8], [1, 1]), 1);
});
