import { assertEquals, assertThrows } from "@std/assert";
import { assertSame, evaluate, evaluateAll, f32, i64 } from "./evaluate_op.ts";

const x = f32([1, 2, 3, 4, 5, 6], 2, 3);

Deno.test("Transpose permutes axes, and reverses them by default", () => {
  assertSame(evaluate("Transpose", [x]), f32([1, 4, 2, 5, 3, 6], 3, 2));
  const cube = f32([1, 2, 3, 4, 5, 6, 7, 8], 2, 2, 2);
  assertSame(
    evaluate("Transpose", [cube], { perm: [1, 0, 2] }),
    f32([1, 2, 5, 6, 3, 4, 7, 8], 2, 2, 2),
  );
  assertSame(
    evaluate("Transpose", [cube], { perm: [1, 2, 0] }),
    f32([1, 5, 2, 6, 3, 7, 4, 8], 2, 2, 2),
  );
  assertSame(evaluate("Transpose", [f32(1)]), f32(1));
  assertSame(evaluate("Transpose", [f32([], 0, 2)]), f32([], 2, 0));
  assertThrows(() => evaluate("Transpose", [x], { perm: [0, 0] }), RangeError, "[0,0]");
});

Deno.test("Expand broadcasts in both directions, and Tile repeats", () => {
  assertSame(evaluate("Expand", [f32([1, 2], 2, 1), i64([3])]), f32([1, 1, 1, 2, 2, 2], 2, 3));
  assertSame(evaluate("Expand", [x, i64([1, 1])]), x);
  assertSame(evaluate("Expand", [f32(5), i64([2, 0])]), f32([], 2, 0));
  assertThrows(() => evaluate("Expand", [x, i64([2])]), RangeError, "[2,3]");
  assertSame(
    evaluate("Tile", [x, i64([2, 2])]),
    f32([1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6], 4, 6),
  );
  assertSame(evaluate("Tile", [x, i64([1, 0])]), f32([], 2, 0));
});

Deno.test("Concat joins tensors, including empty ones", () => {
  const none = f32([], 2, 0);
  const joined = evaluate("Concat", [x, none, f32([7, 8], 2, 1)], { axis: 1 });
  assertSame(joined, f32([1, 2, 3, 7, 4, 5, 6, 8], 2, 4));
  assertSame(
    evaluate("Concat", [x, f32([7, 8, 9], 1, 3)], { axis: -2 }),
    f32([1, 2, 3, 4, 5, 6, 7, 8, 9], 3, 3),
  );
  assertThrows(() => evaluate("Concat", [x, f32([1, 2], 1, 2)], { axis: 0 }), RangeError, "[1,2]");
});

Deno.test("Split uses the given lengths, or equal parts", () => {
  const parts = evaluateAll("Split", [x, i64([1, 0, 2])], { attributes: { axis: 1 }, outputs: 3 });
  assertSame(parts[0], f32([1, 4], 2, 1));
  assertSame(parts[1], f32([], 2, 0));
  assertSame(parts[2], f32([2, 3, 5, 6], 2, 2));
  const seven = f32([1, 2, 3, 4, 5, 6, 7]);
  const even = evaluateAll("Split", [seven], { attributes: { num_outputs: 3 }, outputs: 3 });
  assertEquals(even.map(({ data }) => [...data]), [[1, 2, 3], [4, 5, 6], [7]]);
  assertThrows(
    () => evaluateAll("Split", [x, i64([1, 1])], { attributes: { axis: 1 } }),
    RangeError,
  );
});

Deno.test("Slice works forward and backward, with bounds beyond either end", () => {
  const list = f32([0, 1, 2, 3, 4]);
  const slice = (start: number, end: number, step = 1) => [
    ...evaluate("Slice", [list, i64([start]), i64([end]), i64([0]), i64([step])]).data,
  ];
  const far = 2 ** 63;
  assertEquals(slice(1, 3), [1, 2]);
  assertEquals(slice(-2, far), [3, 4]);
  assertEquals(slice(-9, -3), [0, 1]);
  assertEquals(slice(3, 1), []);
  assertEquals(slice(7, 9), []);
  assertEquals(slice(0, 5, 2), [0, 2, 4]);
  assertEquals(slice(-1, -far, -1), [4, 3, 2, 1, 0]);
  assertEquals(slice(far, 1, -2), [4, 2]);
  assertEquals(slice(3, -9, -3), [3, 0]);
  assertEquals(slice(-9, -far, -1), [0]); // a start before the first is the first
  assertEquals(slice(1, 3, -1), []);
  const none = evaluate("Slice", [f32([], 0, 2), i64([0]), i64([far]), i64([0]), i64([-1])]);
  assertSame(none, f32([], 0, 2));
});

Deno.test("Slice applies to the given axes, by default to the first ones", () => {
  assertSame(evaluate("Slice", [x, i64([0, 1]), i64([1, 3])]), f32([2, 3], 1, 2));
  assertSame(evaluate("Slice", [x, i64([1]), i64([2]), i64([-1])]), f32([2, 5], 2, 1));
  const old = { starts: [1], ends: [2], axes: [1] };
  assertSame(evaluate("Slice", [x], old), f32([2, 5], 2, 1));
  const steps = [x, i64([0]), i64([2]), i64([0]), i64([0])];
  assertThrows(() => evaluate("Slice", steps), RangeError, "steps must not be 0");
});

Deno.test("Pad supports all modes and negative pads", () => {
  const list = f32([1, 2, 3]);
  const pad = (
    pads: number[],
    mode: string,
  ) => [...evaluate("Pad", [list, i64(pads)], { mode }).data];
  assertEquals(pad([1, 2], "constant"), [0, 1, 2, 3, 0, 0]);
  assertEquals(pad([1, 2], "edge"), [1, 1, 2, 3, 3, 3]);
  assertEquals(pad([2, 2], "reflect"), [3, 2, 1, 2, 3, 2, 1]);
  assertEquals(pad([5, 0], "reflect"), [2, 1, 2, 3, 2, 1, 2, 3]);
  assertEquals(pad([4, 1], "wrap"), [3, 1, 2, 3, 1, 2, 3, 1]);
  assertEquals(pad([-1, 1], "constant"), [2, 3, 0]);
  assertEquals(pad([-1, -1], "edge"), [2]);
  assertThrows(() => pad([1], "edge"), RangeError, "2 numbers");
  assertThrows(() => pad([1, 1], "odd"), RangeError, "odd");
  assertThrows(() => evaluate("Pad", [f32([]), i64([1, 0])], { mode: "edge" }), RangeError);
});

Deno.test("Pad applies to the given axes with a given value", () => {
  const padded = evaluate("Pad", [x, i64([1, 0]), f32(9), i64([-1])]);
  assertSame(padded, f32([9, 1, 2, 3, 9, 4, 5, 6], 2, 4));
  assertSame(evaluate("Pad", [f32([], 0), i64([1, 1])]), f32([0, 0]));
  const all = evaluate("Pad", [f32([1], 1, 1), i64([1, 0, 0, 1])]);
  assertSame(all, f32([0, 0, 1, 0], 2, 2));
});

Deno.test("Trilu keeps triangles, also off the diagonal", () => {
  assertSame(evaluate("Trilu", [x]), f32([1, 2, 3, 0, 5, 6], 2, 3));
  assertSame(evaluate("Trilu", [x], { upper: 0 }), f32([1, 0, 0, 4, 5, 0], 2, 3));
  assertSame(evaluate("Trilu", [x, i64(1)]), f32([0, 2, 3, 0, 0, 6], 2, 3));
  assertSame(evaluate("Trilu", [x, i64(-1)], { upper: 0 }), f32([0, 0, 0, 4, 0, 0], 2, 3));
  const two = f32([1, 2, 3, 4, NaN, 6, 7, 8], 2, 2, 2);
  assertSame(evaluate("Trilu", [two], { upper: 0 }), f32([1, 0, 3, 4, NaN, 0, 7, 8], 2, 2, 2));
});
