import { assertThrows } from "@std/assert";
import { makeTensorProto } from "../../../src/onnx/mod.ts";
import { assertSame, evaluate, f32, i64, tensor } from "./evaluate_op.ts";

Deno.test("Range counts up or down, and may be empty", () => {
  const range = (start: number, limit: number, delta: number) =>
    evaluate("Range", [i64(start), i64(limit), i64(delta)]);
  assertSame(range(3, 9, 3), i64([3, 6]));
  assertSame(range(3, 10, 3), i64([3, 6, 9]));
  assertSame(range(10, 4, -2), i64([10, 8, 6]));
  assertSame(range(3, 3, 1), i64([]));
  assertSame(range(3, 5, -1), i64([]));
  assertSame(evaluate("Range", [f32(0), f32(1), f32(0.25)]), f32([0, 0.25, 0.5, 0.75]));
  assertThrows(() => range(0, 1, 0), RangeError, "0 to 1 by 0");
});

Deno.test("ConstantOfShape uses its value and type, or a float 0", () => {
  assertSame(evaluate("ConstantOfShape", [i64([2, 1])]), f32([0, 0], 2, 1));
  const value = makeTensorProto("i64", [1], [7]);
  assertSame(evaluate("ConstantOfShape", [i64([2])], { value }), i64([7, 7]));
  assertSame(evaluate("ConstantOfShape", [i64([])], { value }), i64(7));
  assertSame(evaluate("ConstantOfShape", [i64([0, 3])], { value }), i64([], 0, 3));
  assertThrows(() => evaluate("ConstantOfShape", [i64([-1])]), RangeError, "[-1]");
});

Deno.test("EyeLike writes ones on a diagonal", () => {
  const x = f32([9, 9, 9, 9, 9, 9], 2, 3);
  assertSame(evaluate("EyeLike", [x]), f32([1, 0, 0, 0, 1, 0], 2, 3));
  assertSame(evaluate("EyeLike", [x], { k: 2, dtype: 7 }), i64([0, 0, 1, 0, 0, 0], 2, 3));
  assertSame(evaluate("EyeLike", [x], { k: -1 }), f32([0, 0, 0, 1, 0, 0], 2, 3));
});

Deno.test("OneHot accepts any axis, negative indices, and indices out of range", () => {
  const values = f32([0, 5]);
  const hot = (indices: number[], axis: number) =>
    evaluate("OneHot", [i64(indices), i64(3), values], { axis });
  assertSame(hot([0, 2], -1), f32([5, 0, 0, 0, 0, 5], 2, 3));
  assertSame(hot([0, 2], 0), f32([5, 0, 0, 0, 0, 5], 3, 2));
  assertSame(hot([-1, 3, -4], -1), f32([0, 0, 5, 0, 0, 0, 0, 0, 0], 3, 3));
  assertSame(
    evaluate("OneHot", [i64(1), i64([2]), tensor("bool", [1, 0])]),
    tensor("bool", [1, 0]),
  );
});
