import { assertThrows } from "@std/assert";
import { assertSame, bool, evaluate, f32, i64, tensor } from "./evaluate_op.ts";

Deno.test("comparisons with NaN are false, and 0 equals −0", () => {
  const a = f32([1, 2, NaN, 0, Infinity]), b = f32([2, 2, NaN, -0, -Infinity]);
  assertSame(evaluate("Equal", [a, b]), bool([0, 1, 0, 1, 0]));
  assertSame(evaluate("Less", [a, b]), bool([1, 0, 0, 0, 0]));
  assertSame(evaluate("LessOrEqual", [a, b]), bool([1, 1, 0, 1, 0]));
  assertSame(evaluate("Greater", [a, b]), bool([0, 0, 0, 0, 1]));
  assertSame(evaluate("GreaterOrEqual", [a, b]), bool([0, 1, 0, 1, 1]));
  assertSame(evaluate("Less", [i64([1, 3], 2, 1), i64([2, 3])]), bool([1, 1, 0, 0], 2, 2));
});

Deno.test("And, Or, Xor and Not have their truth tables", () => {
  const a = bool([0, 0, 1, 1]), b = bool([0, 1, 0, 1]);
  assertSame(evaluate("And", [a, b]), bool([0, 0, 0, 1]));
  assertSame(evaluate("Or", [a, b]), bool([0, 1, 1, 1]));
  assertSame(evaluate("Xor", [a, b]), bool([0, 1, 1, 0]));
  assertSame(evaluate("Not", [a]), bool([1, 1, 0, 0]));
});

Deno.test("IsNaN and IsInf detect special values", () => {
  const x = f32([1, NaN, Infinity, -Infinity]);
  assertSame(evaluate("IsNaN", [x]), bool([0, 1, 0, 0]));
  assertSame(evaluate("IsInf", [x]), bool([0, 0, 1, 1]));
  assertSame(evaluate("IsInf", [x], { detect_negative: 0 }), bool([0, 0, 1, 0]));
  assertSame(evaluate("IsInf", [x], { detect_positive: 0 }), bool([0, 0, 0, 1]));
});

Deno.test("bitwise operators work on all integer types, 64-bit ones included", () => {
  const u32 = (...values: number[]) => tensor("u32", values);
  assertSame(evaluate("BitwiseAnd", [u32(0xffffffff), u32(0xf0000001)]), u32(0xf0000001));
  assertSame(evaluate("BitwiseOr", [u32(0x80000000), u32(1)]), u32(0x80000001));
  assertSame(evaluate("BitwiseXor", [u32(0xffffffff), u32(1)]), u32(0xfffffffe));
  assertSame(evaluate("BitwiseNot", [u32(1)]), u32(0xfffffffe));
  assertSame(evaluate("BitwiseNot", [i64([0, -1])]), i64([-1, 0]));
  assertSame(evaluate("BitwiseAnd", [i64([2 ** 40 + 5]), i64([2 ** 40 + 3])]), i64([2 ** 40 + 1]));
  assertSame(evaluate("BitwiseXor", [i64([-1]), i64([1])]), i64([-2]));
});

Deno.test("BitShift drops bits that leave the type", () => {
  const u8 = (...values: number[]) => tensor("u8", values);
  assertSame(evaluate("BitShift", [u8(3, 129), u8(1, 1)], { direction: "LEFT" }), u8(6, 2));
  assertSame(evaluate("BitShift", [u8(3, 129), u8(1, 8)], { direction: "RIGHT" }), u8(1, 0));
  assertSame(evaluate("BitShift", [i64([-8]), i64([70])], { direction: "RIGHT" }), i64([-1]));
  assertThrows(() => evaluate("BitShift", [u8(1), u8(1)]), RangeError, "LEFT or RIGHT");
});
