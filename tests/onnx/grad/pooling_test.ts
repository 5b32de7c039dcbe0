import type { Attributes } from "../../../src/onnx/mod.ts";
import { few } from "../../suite.ts";
import { checkSlopes } from "./check_slopes.ts";
import { assertOnRuntime } from "./on_runtime.ts";

type Dims = readonly number[];
type Case = readonly [image: Dims, attributes: Attributes];

const BOTH = ["MaxPool", "AveragePool"];

const POOLS: readonly Case[] = [
  [[2, 3, 6], { kernel_shape: [2] }],
  [[2, 2, 7], { kernel_shape: [3], strides: [2], pads: [1, 1] }],
  [[1, 2, 8], { kernel_shape: [2], strides: [3] }],
  [[2, 2, 4, 5], { kernel_shape: [2, 3], strides: [2, 1], pads: [1, 0, 0, 2] }],
  [[1, 2, 3, 4, 3], { kernel_shape: [2, 2, 2], strides: [1, 2, 1] }],
  [[1, 1, 2], { kernel_shape: [2] }],
];

const CEIL: readonly Case[] = [
  [[1, 2, 6], { kernel_shape: [3], strides: [2], ceil_mode: 1 }],
  [[1, 2, 6, 5], { kernel_shape: [3, 2], strides: [2, 2], pads: [1, 0, 1, 1], ceil_mode: 1 }],
  [[1, 2, 5, 4], { kernel_shape: [3, 2], strides: [2, 3], auto_pad: "SAME_UPPER" }],
  [[1, 2, 5, 4], { kernel_shape: [2, 3], auto_pad: "SAME_LOWER" }],
  [[1, 2, 5, 4], { kernel_shape: [2, 3], strides: [2, 2], auto_pad: "VALID" }],
];

/** Numbers of which no two are close, in no order. */
function apart(dims: Dims): number[] {
  const count = dims.reduce((product, length) => product * length, 1);
  return Array.from({ length: count }, (_, i) => ((i * 101) % count) / 10 - 2);
}

Deno.test("first and second derivatives of MaxPool agree with finite differences", () => {
  for (const [dims, attributes] of [...POOLS, ...CEIL]) {
    const inputs = [{ dims, data: apart(dims) }];
    checkSlopes({ op: "MaxPool", attributes, inputs });
    checkSlopes({ op: "MaxPool", attributes, inputs, outputs: 2, discrete: [1] });
  }
  checkSlopes({ op: "MaxPool", attributes: { kernel_shape: [2] }, inputs: [{ dims: [0, 2, 4] }] });
});

Deno.test("first and second derivatives of AveragePool agree with finite differences", () => {
  for (const [dims, attributes] of POOLS) {
    for (const count_include_pad of [0, 1]) {
      const all = { ...attributes, count_include_pad };
      checkSlopes({ op: "AveragePool", attributes: all, inputs: [{ dims }] });
    }
  }
  for (const [dims, attributes] of CEIL) {
    for (const count_include_pad of [0, 1]) {
      const all = { ...attributes, count_include_pad };
      checkSlopes({ op: "AveragePool", attributes: all, inputs: [{ dims }] });
    }
  }
  const attributes = { kernel_shape: [3], strides: [2], dilations: [2], pads: [1, 2] };
  checkSlopes({ op: "AveragePool", attributes, inputs: [{ dims: [1, 2, 8] }], opset: 19 });
});

Deno.test("gradients of GlobalAveragePool and GlobalMaxPool agree with finite differences", () => {
  for (const op of ["GlobalAveragePool", "GlobalMaxPool"]) {
    for (const dims of [[2, 3, 4], [2, 3, 4, 2], [1, 2, 2, 2, 3]]) {
      checkSlopes({ op, inputs: [{ dims }] });
    }
  }
});

Deno.test("onnxruntime runs the gradients of pools", async () => {
  for (const isFree of [true, false]) {
    for (const [i, [dims, attributes]] of [...POOLS, ...CEIL].entries()) {
      // The fast suite runs each with lengths that are free or fixed, the slow one with both.
      const ops = few([(i % 2 === 0) === isFree ? "MaxPool" : "AveragePool"], BOTH);
      for (const op of ops) await assertOnRuntime({ op, attributes, inputs: [dims] }, isFree);
    }
    for (const op of ["GlobalAveragePool", "GlobalMaxPool"]) {
      await assertOnRuntime({ op, inputs: [[2, 3, 4, 2]] }, isFree);
    }
  }
});
