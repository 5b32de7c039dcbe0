import { assertEquals, assertThrows } from "@std/assert";
import { outputOf, tensor } from "./one_node.ts";

const A = tensor([2, 3], [1, 2, 3, 4, 5, 6]), B = tensor([3, 2], [7, 8, 9, 10, 11, 12]);

Deno.test("MatMul multiplies matrices and vectors", () => {
  assertEquals(outputOf("MatMul", [A, B]), tensor([2, 2], [58, 64, 139, 154]));
  const v = tensor([3], [1, 0, -1]);
  assertEquals(outputOf("MatMul", [A, v]), tensor([2], [-2, -2]));
  assertEquals(outputOf("MatMul", [v, B]), tensor([2], [-4, -4]));
  assertEquals(outputOf("MatMul", [v, v]), tensor([], [2]));
});

Deno.test("MatMul broadcasts batches of both sides", () => {
  const a = tensor([2, 1, 1, 2], [1, 2, 3, 4]), b = tensor([3, 2, 1], [1, 0, 0, 1, 1, 1]);
  assertEquals(outputOf("MatMul", [a, b]), tensor([2, 3, 1, 1], [1, 2, 3, 3, 4, 7]));
  const stacked = tensor([2, 3, 2], [...B.data, ...B.data.map((x) => -x)]);
  const both = outputOf("MatMul", [tensor([3], [1, 1, 1]), stacked]);
  assertEquals(both, tensor([2, 2], [27, 30, -27, -30]));
});

Deno.test("MatMul over an empty inner axis is 0, and of empty matrices is empty", () => {
  const product = outputOf("MatMul", [tensor([2, 0], []), tensor([0, 2], [])]);
  assertEquals(product, tensor([2, 2], [0, 0, 0, 0]));
  const none = outputOf("MatMul", [tensor([0, 2, 3], []), B]);
  assertEquals(none, tensor([0, 2, 2], []));
});

Deno.test("MatMul propagates NaN, and wraps integers", () => {
  const row = outputOf("MatMul", [tensor([1, 2], [0, 1]), tensor([2, 2], [Infinity, 1, 1, NaN])]);
  assertEquals(row, tensor([1, 2], [NaN, NaN]));
  const bytes = (values: number[]) => tensor([1], values, "u8");
  assertEquals(outputOf("MatMul", [bytes([16]), bytes([17])]), tensor([], [16], "u8"));
});

Deno.test("MatMul rejects shapes that do not fit", () => {
  const multiply = (a: number[], b: number[]) => () => {
    const filled = (dims: number[]) =>
      tensor(dims, new Float64Array(dims.reduce((p, n) => p * n, 1)));
    outputOf("MatMul", [filled(a), filled(b)]);
  };
  assertThrows(multiply([2, 3], [2, 3]), RangeError, "must be equal; got [2,3] and [2,3]");
  assertThrows(multiply([2, 1, 1], [3, 1, 1]), RangeError, "its batch axes must broadcast");
  assertThrows(multiply([], [1]), RangeError, "the inner lengths of its matrices must be equal");
});

Deno.test("Gemm transposes and scales its operands", () => {
  const turned = {
    attributes: { transA: 1, transB: 1, alpha: { float: 0.5 }, beta: { float: 2 } },
  };
  const c = tensor([3, 1], [1, 2, 3]);
  const y = outputOf(
    "Gemm",
    [tensor([2, 3], [1, 2, 3, 4, 5, 6]), tensor([2, 2], [1, 0, 0, 1]), c],
    turned,
  );
  assertEquals(y, tensor([3, 2], [2.5, 4, 5, 6.5, 7.5, 9]));
  assertEquals(outputOf("Gemm", [A, B]), tensor([2, 2], [58, 64, 139, 154]));
  const bias = outputOf("Gemm", [A, B, tensor([2], [1, -1])]);
  assertEquals(bias, tensor([2, 2], [59, 63, 140, 153]));
  const tall = () => outputOf("Gemm", [A, B, tensor([3, 1, 1], [1, 1, 1])]);
  assertThrows(tall, RangeError, "its third input must broadcast to [2,2]");
});

Deno.test("Det computes determinants of stacked matrices, with pivoting", () => {
  const matrices = tensor([3, 2, 2], [1, 2, 3, 4, 0, 1, 1, 0, 1, 2, 2, 4]);
  assertEquals(outputOf("Det", [matrices]), tensor([3], [-2, -1, 0]));
  assertThrows(() => outputOf("Det", [A]), RangeError, "must be square");
});
