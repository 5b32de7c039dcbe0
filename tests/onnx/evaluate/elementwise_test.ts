import { assertThrows } from "@std/assert";
import { assertNear, assertSame, bool, evaluate, f32, i64, tensor } from "./evaluate_op.ts";

Deno.test("shapes broadcast from either side", () => {
  const rows = f32([1, 2, 3, 4, 5, 6], 2, 3),
    row = f32([10, 20, 30]),
    column = f32([100, 200], 2, 1);
  assertSame(evaluate("Add", [rows, row]), f32([11, 22, 33, 14, 25, 36], 2, 3));
  assertSame(evaluate("Sub", [column, rows]), f32([99, 98, 97, 196, 195, 194], 2, 3));
  assertSame(evaluate("Mul", [column, row]), f32([1000, 2000, 3000, 2000, 4000, 6000], 2, 3));
  assertSame(evaluate("Div", [f32(6), row]), f32([0.6, 0.3, 0.2]));
  // The middle axis of one, the outer and inner of the other.
  const a = f32([1, 2, 3, 4], 2, 1, 2), b = f32([10, 20, 30], 1, 3, 1);
  assertSame(
    evaluate("Add", [a, b]),
    f32([11, 12, 21, 22, 31, 32, 13, 14, 23, 24, 33, 34], 2, 3, 2),
  );
});

Deno.test("an empty axis broadcasts with length 1 to an empty axis; scalars stay scalars", () => {
  assertSame(evaluate("Add", [f32([], 0, 3), f32([1, 2, 3])]), f32([], 0, 3));
  assertSame(evaluate("Mul", [f32([], 2, 0), f32([5], 1)]), f32([], 2, 0));
  assertSame(evaluate("Add", [f32(1), f32(2)]), f32(3));
  assertSame(evaluate("Where", [bool([], 0), f32(1), f32(2)]), f32([], 0));
  assertSame(evaluate("Neg", [f32([], 0)]), f32([], 0));
});

Deno.test("shapes that do not broadcast are rejected with the node and both shapes", () => {
  assertThrows(
    () => evaluate("Add", [f32([1, 2]), f32([1, 2, 3])]),
    RangeError,
    'the Add "it": the shapes of its inputs must broadcast; got [2] and [3]',
  );
  assertThrows(() => evaluate("Add", [f32([1, 2])]), TypeError, "its input 1 is required");
  assertThrows(() => evaluate("Add", [f32([]), f32([1, 2])]), RangeError, "broadcast");
});

Deno.test("float arithmetic follows IEEE 754 for special values", () => {
  const edges = f32([0, -0, 1, -1, Infinity, -Infinity, NaN]);
  assertSame(evaluate("Neg", [edges]), f32([-0, 0, -1, 1, -Infinity, Infinity, NaN]));
  assertSame(evaluate("Abs", [edges]), f32([0, 0, 1, 1, Infinity, Infinity, NaN]));
  assertSame(evaluate("Sqrt", [edges]), f32([0, -0, 1, NaN, Infinity, NaN, NaN]));
  assertSame(evaluate("Reciprocal", [edges]), f32([Infinity, -Infinity, 1, -1, 0, -0, NaN]));
  assertSame(evaluate("Log", [edges]), f32([-Infinity, -Infinity, 0, NaN, Infinity, NaN, NaN]));
  assertSame(evaluate("Exp", [f32([0, -Infinity, Infinity, NaN])]), f32([1, 0, Infinity, NaN]));
  assertSame(evaluate("Div", [f32([1, -1, 0]), f32(0)]), f32([Infinity, -Infinity, NaN]));
  assertSame(evaluate("Sign", [f32([-3, 0, 2, NaN])]), f32([-1, 0, 1, NaN]));
  assertSame(evaluate("Max", [edges, f32(0.5)]), f32([0.5, 0.5, 1, 0.5, Infinity, 0.5, NaN]));
  assertSame(evaluate("Min", [edges, f32(NaN)]), f32([NaN, NaN, NaN, NaN, NaN, NaN, NaN]));
});

Deno.test("Round is half to even, and keeps the sign of zero", () => {
  const x = f32([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.4, -2.6, NaN, -Infinity, 2 ** 52 + 1, -0]);
  assertSame(
    evaluate("Round", [x]),
    f32([0, 2, 2, -0, -2, -2, 2, -3, NaN, -Infinity, 2 ** 52 + 1, -0]),
  );
  assertSame(evaluate("Floor", [f32([-0.5, 1.5])]), f32([-1, 1]));
  assertSame(evaluate("Ceil", [f32([-0.5, 1.5])]), f32([-0, 2]));
});

Deno.test("integer division truncates, and integers wrap around", () => {
  assertSame(evaluate("Div", [i64([7, -7, 7, -7]), i64([2, 2, -2, -2])]), i64([3, -3, -3, 3]));
  const i32 = (values: number[]) => tensor("i32", values);
  assertSame(evaluate("Add", [i32([2147483647]), i32([1])]), i32([-2147483648]));
  assertSame(evaluate("Mul", [i32([123456789]), i32([987654321])]), i32([-67153019]));
  assertSame(evaluate("Sub", [tensor("u8", [3]), tensor("u8", [5])]), tensor("u8", [254]));
  assertSame(evaluate("Neg", [tensor("i8", [-128, 0])]), tensor("i8", [-128, 0]));
  const big = i64([2 ** 62]);
  assertSame(evaluate("Add", [big, big]), i64([-(2 ** 63)]));
  assertSame(evaluate("Mul", [i64([2 ** 40 + 1]), i64([2 ** 40])]), i64([2 ** 40]));
  // 2^64 − 5, which no double holds, is −5.
  assertSame(evaluate("Mul", [i64([64133530351]), i64([287630261])]), i64([-5]));
});

Deno.test("Mod has the sign of the divisor, or with fmod that of the dividend", () => {
  const a = i64([7, -7, 7, -7, 6]), b = i64([3, 3, -3, -3, -3]);
  assertSame(evaluate("Mod", [a, b]), i64([1, 2, -2, -1, 0]));
  assertSame(evaluate("Mod", [a, b], { fmod: 1 }), i64([1, -1, 1, -1, 0]));
  assertSame(evaluate("Mod", [f32([-5.5, 5.5]), f32(2)], { fmod: 1 }), f32([-1.5, 1.5]));
});

Deno.test("Pow follows C for special values, and has the type of its base", () => {
  const x = f32([2, 1, -1, 0, -8, 9]);
  assertSame(
    evaluate("Pow", [x, f32([10, NaN, -Infinity, 0, 1 / 3, 0.5])]),
    f32([1024, 1, 1, 1, NaN, 3]),
  );
  assertSame(evaluate("Pow", [i64([2, 2, -3]), f32([3, -1, 2])]), i64([8, 0, 9]));
  assertSame(evaluate("Pow", [f32([0.1]), i64(2)]), f32([0.1 * 0.1]));
});

Deno.test("Max, Min, Mean and Sum accept any number of inputs", () => {
  const all = [f32([1, 5]), f32([4, 2], 2, 1), f32(3)];
  assertSame(evaluate("Sum", all), f32([8, 12, 6, 10], 2, 2));
  assertSame(evaluate("Max", all), f32([4, 5, 3, 5], 2, 2));
  assertSame(evaluate("Min", all), f32([1, 3, 1, 2], 2, 2));
  assertSame(evaluate("Mean", [f32([1, 2]), f32([3, 6])]), f32([2, 4]));
  assertSame(evaluate("Sum", [f32([1])]), f32([1]));
});

Deno.test("Clip accepts missing bounds, keeps NaN, and prefers the upper bound", () => {
  const x = f32([-2, 0.5, 7, NaN]);
  assertSame(evaluate("Clip", [x, f32(0), f32(1)]), f32([0, 0.5, 1, NaN]));
  assertSame(evaluate("Clip", [x, undefined, f32(1)]), f32([-2, 0.5, 1, NaN]));
  assertSame(evaluate("Clip", [x]), x);
  assertSame(evaluate("Clip", [x, f32(3), f32(1)]), f32([1, 1, 1, NaN]));
  assertSame(evaluate("Clip", [x], { max: { float: 2 } }), f32([-2, 0.5, 2, NaN]));
});

Deno.test("Where broadcasts all three inputs", () => {
  const y = evaluate("Where", [bool([1, 0], 2, 1), f32([1, 2, 3]), f32(NaN)]);
  assertSame(y, f32([1, 2, 3, NaN, NaN, NaN], 2, 3));
  assertSame(evaluate("PRelu", [f32([-2, 3], 2, 1), f32([0.5, 2])]), f32([-1, -4, 3, 3], 2, 2));
});

Deno.test("Erf is accurate to a few units in the last place", () => {
  // mpmath at 40 digits, of the doubles as they are.
  const x = [1e-300, 1e-10, 0.1, 0.5, 1, 1.5, 2, 2.9, 3, 3.5, 5, 6, -0.5, Infinity, -0, NaN];
  assertNear(evaluate("Erf", [f32(x)]), ERF, 2);
});

const ERF = [
  1.1283791670955126e-300,
  1.1283791670955126e-10,
  0.1124629160182849,
  0.5204998778130465,
  0.8427007929497149,
  0.9661051464753108,
  0.9953222650189527,
  0.9999589021219005,
  0.9999779095030014,
  0.9999992569016276,
  0.9999999999984626,
  1.0,
  -0.5204998778130465,
  1,
  -0,
  NaN,
];

Deno.test("elementary functions have known values", () => {
  const x = f32([0.5]);
  const known: Record<string, number> = {
    Acos: 1.0471975511965979,
    Asin: 0.5235987755982989,
    Asinh: 0.48121182505960347,
    Atan: 0.4636476090008061,
    Atanh: 0.5493061443340549,
    Cos: 0.8775825618903728,
    Cosh: 1.1276259652063807,
    Exp: 1.6487212707001282,
    Log: -0.6931471805599453,
    Sin: 0.479425538604203,
    Sinh: 0.5210953054937474,
    Sqrt: 0.7071067811865476,
    Tan: 0.5463024898437905,
    Tanh: 0.46211715726000974,
    Sigmoid: 0.6224593312018546,
  };
  for (const [op, value] of Object.entries(known)) assertNear(evaluate(op, [x]), [value], 2);
  assertNear(evaluate("Acosh", [f32([1.5])]), [0.9624236501192069], 2);
});
