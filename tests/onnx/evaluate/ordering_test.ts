import { assertEquals, assertThrows } from "@std/assert";
import { evaluateAll } from "./evaluate_op.ts";
import { outputOf, tensor, whole } from "./one_node.ts";

Deno.test("TopK returns the largest or smallest elements with their indices, the first of equal ones", () => {
  const x = tensor([2, 4], [1, 3, 3, 2, 0, -0, 5, 5]), k = whole([1], [3]);
  assertEquals(evaluateAll("TopK", [x, k]), [
    tensor([2, 3], [3, 3, 2, 5, 5, 0]),
    whole([2, 3], [1, 2, 3, 2, 3, 0]),
  ]);
  assertEquals(evaluateAll("TopK", [x, k], { attributes: { largest: 0, sorted: 0 } }), [
    tensor([2, 3], [1, 2, 3, 0, -0, 5]),
    whole([2, 3], [0, 3, 1, 0, 1, 2]),
  ]);
});

Deno.test("TopK accepts any axis and k = 0, and treats NaN as the largest", () => {
  const x = tensor([3, 2], [1, NaN, 4, 2, 3, 9]);
  assertEquals(evaluateAll("TopK", [x, whole([1], [2])], { attributes: { axis: 0 } }), [
    tensor([2, 2], [4, NaN, 3, 9]),
    whole([2, 2], [1, 0, 2, 2]),
  ]);
  assertEquals(outputOf("TopK", [x, whole([1], [0])]), tensor([3, 0], []));
  assertThrows(
    () => outputOf("TopK", [x, whole([1], [3])]),
    RangeError,
    "its k must be from 0 to 2",
  );
});

Deno.test("NonZero has a column for each element that is not 0; NaN is not", () => {
  const columns = outputOf("NonZero", [tensor([2, 3], [0, 1, -0, NaN, 0, -2])]);
  assertEquals(columns, whole([2, 3], [0, 1, 1, 1, 0, 2]));
  assertEquals(outputOf("NonZero", [tensor([], [4])]), whole([0, 1], []));
  assertEquals(outputOf("NonZero", [tensor([2], [0, 0])]), whole([1, 0], []));
});

Deno.test("Compress selects slices, or elements of the flattened input", () => {
  const x = tensor([2, 3], [1, 2, 3, 4, 5, 6]),
    keep = (...values: number[]) => tensor([values.length], values, "bool");
  const along = (axis: number, ...values: number[]) =>
    outputOf("Compress", [x, keep(...values)], { attributes: { axis } });
  assertEquals(along(-1, 1, 0, 1), tensor([2, 2], [1, 3, 4, 6]));
  assertEquals(along(1, 0, 1), tensor([2, 1], [2, 5]));
  assertEquals(along(0, 0, 0), tensor([0, 3], []));
  assertEquals(outputOf("Compress", [x, keep(0, 1, 0, 0, 1)]), tensor([2], [2, 5]));
});
