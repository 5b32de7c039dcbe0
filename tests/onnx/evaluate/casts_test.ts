import { assertEquals, assertThrows } from "@std/assert";
import { codeOf, type ElementType } from "../../../src/onnx/codec/element_type.ts";
import { roundTo } from "../../../src/onnx/evaluate/operators/rounding.ts";
import { assertSame, bool, evaluate, f32, i64, tensor } from "./evaluate_op.ts";

/** These numbers as another type. */
function cast(values: readonly number[], to: ElementType, from: ElementType = "f32") {
  return evaluate("Cast", [tensor(from, values)], { to: codeOf(to) });
}

Deno.test("casts of floats to integers truncate and wrap around", () => {
  assertSame(cast([2.9, -2.9, -0.5, 0], "i64"), i64([2, -2, 0, 0]));
  assertSame(cast([300, -1, 255.9], "u8"), tensor("u8", [44, 255, 255]));
  assertSame(cast([NaN, Infinity, -Infinity], "i32"), tensor("i32", [0, 0, 0]));
  assertSame(
    cast([2 ** 31, -(2 ** 31) - 1], "i32", "i64"),
    tensor("i32", [-(2 ** 31), 2 ** 31 - 1]),
  );
  assertSame(cast([9, -9], "i4", "i8"), tensor("i4", [-7, 7]));
});

Deno.test("every nonzero value is cast to true, NaN included", () => {
  assertSame(cast([0, -0, 0.1, NaN, -3], "bool"), bool([0, 0, 1, 1, 1]));
  assertSame(cast([0, 1], "f32", "bool"), f32([0, 1]));
  assertSame(cast([0, 1], "i64", "bool"), i64([0, 1]));
});

Deno.test("casts between float types keep the value", () => {
  assertSame(cast([0.1, 1e300], "f16", "f64"), tensor("f16", [0.1, 1e300]));
  const like = evaluate("CastLike", [f32([1.5, -1.5]), i64(0)]);
  assertSame(like, i64([1, -1]));
});

Deno.test("casts to unsupported types are rejected", () => {
  assertThrows(() => cast([1], "string"), RangeError, "got string");
  assertThrows(() => evaluate("Cast", [f32([1])]), RangeError, "it must cast to a known type");
});

Deno.test("rounding to 16 bits is half to even, also for subnormals and overflow", () => {
  const round = (type: ElementType, ...values: number[]) =>
    Array.from(roundTo(type, Float64Array.from(values)));
  const tiny = 2 ** -24; // the least number of f16
  assertEquals(round("f16", 1 + 2 ** -11, 1 + 3 * 2 ** -11, 0.1), [
    1,
    1 + 2 ** -9,
    0.0999755859375,
  ]);
  assertEquals(round("f16", 65519, 65520, -1e9, NaN), [65504, Infinity, -Infinity, NaN]);
  assertEquals(round("f16", tiny, 0.5 * tiny, 0.75 * tiny, 1.5 * tiny), [tiny, 0, tiny, 2 * tiny]);
  assertEquals(round("bf16", 1 + 2 ** -8, 3.14159, 3.4e38), [1, 3.140625, Infinity]);
  assertEquals(round("f32", 0.1, 1e39), [Math.fround(0.1), Infinity]);
  assertEquals(round("f64", 0.1), [0.1]);
});
