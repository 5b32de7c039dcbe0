import { assertThrows } from "@std/assert";
import {
  assertNear,
  assertSame,
  bool,
  evaluate,
  evaluateAll,
  f32,
  i64,
  tensor,
} from "./evaluate_op.ts";

const x = f32([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 2, 3, 2);

Deno.test("ReduceSum accepts any axes, counted from either end", () => {
  const sum = (axes: number[], keepdims: 0 | 1) =>
    evaluate("ReduceSum", [x, i64(axes)], { keepdims });
  assertSame(sum([0], 0), f32([8, 10, 12, 14, 16, 18], 3, 2));
  assertSame(sum([1], 1), f32([9, 12, 27, 30], 2, 1, 2));
  assertSame(sum([-1], 0), f32([3, 7, 11, 15, 19, 23], 2, 3));
  assertSame(sum([2, 0], 0), f32([18, 26, 34]));
  assertSame(sum([0, 1, 2], 1), f32([78], 1, 1, 1));
  assertSame(evaluate("ReduceSum", [x], { keepdims: 0 }), f32(78));
});

Deno.test("axes may be an attribute in old files; without axes all or none are reduced", () => {
  assertSame(
    evaluateAll("ReduceMax", [x], { attributes: { axes: [1], keepdims: 0 }, opset: 13 })[0],
    f32([5, 6, 11, 12], 2, 2),
  );
  assertSame(evaluate("ReduceSum", [x, i64([])], { keepdims: 0 }), f32(78));
  assertSame(evaluate("ReduceSum", [x, i64([])], { noop_with_empty_axes: 1 }), x);
  assertSame(evaluate("ReduceSum", [x], { noop_with_empty_axes: 1 }), x);
});

Deno.test("all reductions have known values", () => {
  const y = f32([3, -4, 1, 2], 2, 2), axes = i64([1]);
  const of = (op: string) => evaluate(op, [y, axes], { keepdims: 0 });
  assertSame(of("ReduceMean"), f32([-0.5, 1.5]));
  assertSame(of("ReduceMax"), f32([3, 2]));
  assertSame(of("ReduceMin"), f32([-4, 1]));
  assertSame(of("ReduceProd"), f32([-12, 2]));
  assertSame(of("ReduceL1"), f32([7, 3]));
  assertSame(of("ReduceL2"), f32([5, Math.sqrt(5)]));
  assertSame(of("ReduceSumSquare"), f32([25, 5]));
  assertSame(of("ReduceLogSum"), f32([NaN, Math.log(3)]));
  const exp = evaluate("ReduceLogSumExp", [f32([1, 2, 4, 1001, 1002, 1004], 2, 3), axes]);
  assertNear(exp, [4.169846019556286, 1004.169846019556286]);
  assertSame(evaluate("ReduceLogSumExp", [f32([-Infinity, Infinity])]), f32([Infinity], 1));
});

Deno.test("an empty sum is 0, an empty product is 1, and an empty maximum is the least number", () => {
  const none = f32([], 2, 0), axes = i64([1]);
  const of = (op: string) => evaluate(op, [none, axes], { keepdims: 0 });
  assertSame(of("ReduceSum"), f32([0, 0]));
  assertSame(of("ReduceProd"), f32([1, 1]));
  assertSame(of("ReduceMean"), f32([NaN, NaN]));
  assertSame(of("ReduceMax"), f32([-Infinity, -Infinity]));
  assertSame(of("ReduceMin"), f32([Infinity, Infinity]));
  assertSame(of("ReduceLogSumExp"), f32([-Infinity, -Infinity]));
  assertSame(evaluate("ReduceMax", [i64([], 0)]), i64([-(2 ** 63)], 1));
  assertSame(evaluate("ReduceMin", [tensor("u8", [])]), tensor("u8", [255]));
  assertSame(evaluate("ReduceMax", [bool([], 0)]), bool([0], 1));
  assertSame(evaluate("ReduceSum", [none, i64([0])], { keepdims: 0 }), f32([], 0));
});

Deno.test("reductions handle scalars, NaN and integers that wrap around", () => {
  assertSame(evaluate("ReduceSum", [f32(3)]), f32(3));
  assertSame(evaluate("ReduceMax", [f32([1, NaN, 2])]), f32([NaN], 1));
  assertSame(evaluate("ReduceMean", [i64([1, 2])]), i64([1], 1));
  assertSame(evaluate("ReduceSum", [tensor("i8", [100, 100])]), tensor("i8", [-56]));
  assertThrows(() => evaluate("ReduceSum", [x, i64([3])]), RangeError, "from -3 to 2");
  assertThrows(
    () => evaluate("ReduceSum", [x, i64([1, -2])]),
    RangeError,
    "its axes must be unique",
  );
});

Deno.test("ArgMax returns the first index, or the last if requested", () => {
  const y = f32([1, 5, 5, 2, 2, -1], 2, 3);
  assertSame(evaluate("ArgMax", [y], { axis: 1, keepdims: 0 }), i64([1, 0]));
  assertSame(
    evaluate("ArgMax", [y], { axis: 1, keepdims: 0, select_last_index: 1 }),
    i64([2, 1]),
  );
  assertSame(evaluate("ArgMin", [y], { axis: -1 }), i64([0, 2], 2, 1));
  assertSame(evaluate("ArgMax", [y]), i64([1, 0, 0], 1, 3));
  assertSame(evaluate("ArgMax", [f32([1, NaN, 2])]), i64([1], 1));
  assertSame(evaluate("ArgMin", [f32([0, -0])]), i64([0], 1));
});

Deno.test("CumSum supports exclusive and reverse", () => {
  const y = f32([1, 2, 3, 4, 5, 6], 2, 3), last = i64(1);
  assertSame(evaluate("CumSum", [y, last]), f32([1, 3, 6, 4, 9, 15], 2, 3));
  assertSame(evaluate("CumSum", [y, last], { exclusive: 1 }), f32([0, 1, 3, 0, 4, 9], 2, 3));
  assertSame(evaluate("CumSum", [y, last], { reverse: 1 }), f32([6, 5, 3, 15, 11, 6], 2, 3));
  const both = { reverse: 1, exclusive: 1 };
  assertSame(evaluate("CumSum", [y, last], both), f32([5, 3, 0, 11, 6, 0], 2, 3));
  assertSame(evaluate("CumSum", [y, i64(-2)]), f32([1, 2, 3, 5, 7, 9], 2, 3));
});
