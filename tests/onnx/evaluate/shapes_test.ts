import { assertEquals, assertThrows } from "@std/assert";
import { assertSame, bool, evaluate, evaluateAll, f32, i64 } from "./evaluate_op.ts";

const x = f32([1, 2, 3, 4, 5, 6], 2, 1, 3);

Deno.test("Shape and Size return lengths, also of a range of axes", () => {
  assertSame(evaluate("Shape", [x]), i64([2, 1, 3]));
  assertSame(evaluate("Shape", [x], { start: 1 }), i64([1, 3]));
  assertSame(evaluate("Shape", [x], { start: -9, end: -1 }), i64([2, 1]));
  assertSame(evaluate("Shape", [x], { start: 2, end: 1 }), i64([]));
  assertSame(evaluate("Shape", [f32(1)]), i64([]));
  assertSame(evaluate("Size", [x]), i64(6));
  assertSame(evaluate("Size", [f32([], 0, 5)]), i64(0));
});

Deno.test("Reshape copies a length for 0, and infers -1", () => {
  const reshape = (shape: number[], allowzero: 0 | 1 = 0) =>
    evaluate("Reshape", [x, i64(shape)], { allowzero }).dims;
  assertEquals(reshape([3, 2]), [3, 2]);
  assertEquals(reshape([0, -1]), [2, 3]);
  assertEquals(reshape([-1]), [6]);
  assertEquals(evaluate("Reshape", [f32([7], 1), i64([])]).dims, []);
  const none = f32([], 0, 4);
  assertEquals(evaluate("Reshape", [none, i64([3, 0])], { allowzero: 1 }).dims, [3, 0]);
  // What is left of nothing over nothing could be any length.
  assertThrows(() => evaluate("Reshape", [none, i64([0, -1])]), RangeError, "[0,-1]");
});

Deno.test("Reshape rejects a shape with another number of elements", () => {
  for (const shape of [[4], [4, -1], [-1, -1], [-2, -3]]) {
    assertThrows(() => evaluate("Reshape", [x, i64(shape)]), RangeError, `[${shape}]`);
  }
  assertThrows(() => evaluate("Squeeze", [x, i64([0])]), RangeError, "[2,1,3]");
});

Deno.test("Squeeze, Unsqueeze and Flatten change axes", () => {
  assertEquals(evaluate("Squeeze", [x]).dims, [2, 3]);
  assertEquals(evaluate("Squeeze", [x, i64([-2])]).dims, [2, 3]);
  assertEquals(evaluateAll("Squeeze", [x], { attributes: { axes: [1] } })[0]!.dims, [2, 3]);
  assertEquals(evaluate("Unsqueeze", [x, i64([0, -1])]).dims, [1, 2, 1, 3, 1]);
  assertEquals(evaluate("Unsqueeze", [f32(1), i64([0])]).dims, [1]);
  assertEquals(evaluate("Flatten", [x]).dims, [2, 3]);
  assertEquals(evaluate("Flatten", [x], { axis: 0 }).dims, [1, 6]);
  assertEquals(evaluate("Flatten", [x], { axis: 3 }).dims, [6, 1]);
  assertEquals(evaluate("Flatten", [x], { axis: -1 }).dims, [2, 3]);
});

Deno.test("Identity and Dropout in inference return their input", () => {
  assertSame(evaluate("Identity", [x]), x);
  const [y, mask] = evaluateAll("Dropout", [x, f32(0.5)], { outputs: 2 });
  assertSame(y, x);
  assertSame(mask, bool([1, 1, 1, 1, 1, 1], 2, 1, 3));
  assertThrows(() => evaluate("Dropout", [x, f32(0.5), bool(1)]), RangeError, "random");
});
