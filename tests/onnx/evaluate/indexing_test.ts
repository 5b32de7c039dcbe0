import { assertEquals, assertThrows } from "@std/assert";
import { outputOf, tensor, whole } from "./one_node.ts";

/** 2 × 3 × 2, each number its own place. */
const CUBE = tensor([2, 3, 2], Array.from({ length: 12 }, (_, i) => i));

Deno.test("Gather selects slices along any axis, also by negative indices", () => {
  const rows = outputOf("Gather", [tensor([3, 2], [1, 2, 3, 4, 5, 6]), whole([2], [-1, 0])]);
  assertEquals(rows, tensor([2, 2], [5, 6, 1, 2]));
  const middle = outputOf("Gather", [CUBE, whole([2, 2], [2, 0, -3, 1])], {
    attributes: { axis: 1 },
  });
  const expected = [4, 5, 0, 1, 0, 1, 2, 3, 10, 11, 6, 7, 6, 7, 8, 9];
  assertEquals(middle, tensor([2, 2, 2, 2], expected));
});

Deno.test("Gather with a scalar index removes the axis, and with no indices is empty", () => {
  const last = outputOf("Gather", [CUBE, whole([], [1])], { attributes: { axis: -1 } });
  assertEquals(last, tensor([2, 3], [1, 3, 5, 7, 9, 11]));
  assertEquals(outputOf("Gather", [CUBE, whole([0], [])]), tensor([0, 3, 2], []));
});

Deno.test("Gather rejects an index out of range", () => {
  const at = (index: number) => () => outputOf("Gather", [tensor([2], [1, 2]), whole([], [index])]);
  assertThrows(at(2), RangeError, 'Cannot evaluate the Gather "it": its indices must be from');
  assertThrows(at(-3), RangeError, "got -3");
});

Deno.test("GatherElements selects one element per index", () => {
  const data = tensor([2, 3], [1, 2, 3, 4, 5, 6]), indices = whole([2, 2], [0, -1, 1, 0]);
  const along = (axis: number) =>
    outputOf("GatherElements", [data, indices], { attributes: { axis } });
  assertEquals(along(1), tensor([2, 2], [1, 3, 5, 4]));
  assertEquals(along(0), tensor([2, 2], [1, 5, 4, 2]));
});

Deno.test("GatherND selects slices by rows of indices, separately for each batch", () => {
  const pairs = whole([2, 2], [0, 2, -1, 0]);
  assertEquals(outputOf("GatherND", [CUBE, pairs]), tensor([2, 2], [4, 5, 6, 7]));
  const triples = whole([1, 2, 3], [0, 1, 1, 1, 2, 0]);
  assertEquals(outputOf("GatherND", [CUBE, triples]), tensor([1, 2], [3, 10]));
  const batches = outputOf("GatherND", [CUBE, whole([2, 1], [2, 1])], {
    attributes: { batch_dims: 1 },
  });
  assertEquals(batches, tensor([2, 2], [4, 5, 8, 9]));
  assertEquals(outputOf("GatherND", [CUBE, whole([0, 1], [])]), tensor([0, 3, 2], []));
});

Deno.test("GatherND rejects indices with more numbers than axes", () => {
  const wrong = () => outputOf("GatherND", [tensor([2], [1, 2]), whole([1, 2], [0, 0])]);
  assertThrows(
    wrong,
    RangeError,
    "its indices must have a last axis of length at most 1, because the data have the shape [2]; got indices of the shape [1,2]",
  );
});
