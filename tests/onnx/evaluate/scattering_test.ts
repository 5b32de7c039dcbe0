import { assertEquals, assertThrows } from "@std/assert";
import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import { outputOf, tensor, whole } from "./one_node.ts";

/** Results of both scatter operators for [1, 2, 3], if 5, −7 and 11 are written to indices 2, 0 and 2. */
const REDUCED = {
  none: [-7, 2, 11],
  add: [-6, 2, 19],
  mul: [-7, 2, 165],
  max: [1, 2, 11],
  min: [-7, 2, 3],
};

Deno.test("scatters apply updates in order", () => {
  const data = tensor([3], [1, 2, 3]), updates = tensor([3], [5, -7, 11]);
  for (const [reduction, expected] of Object.entries(REDUCED)) {
    const attributes = { reduction };
    const elements = outputOf("ScatterElements", [data, whole([3], [2, -3, -1]), updates], {
      attributes,
    });
    assertEquals(elements, tensor([3], expected), reduction);
    const rows = outputOf("ScatterND", [data, whole([3, 1], [2, -3, -1]), updates], { attributes });
    assertEquals(rows, tensor([3], expected), reduction);
  }
  assertEquals(data, tensor([3], [1, 2, 3]));
});

Deno.test("ScatterElements works along one axis, and may cover part of the others", () => {
  const data = tensor([2, 3], [1, 2, 3, 4, 5, 6]), updates = tensor([1, 2], [7, 8]);
  const put = (axis: number, indices: number[]) =>
    outputOf("ScatterElements", [data, whole([1, 2], indices), updates], { attributes: { axis } });
  assertEquals(put(1, [2, 0]), tensor([2, 3], [8, 2, 7, 4, 5, 6]));
  assertEquals(put(0, [1, 0]), tensor([2, 3], [1, 8, 3, 7, 5, 6]));
});

Deno.test("ScatterND writes slices, and nothing without indices", () => {
  const data = tensor([2, 2], [1, 2, 3, 4]);
  const slices = outputOf("ScatterND", [data, whole([1, 1], [1]), tensor([1, 2], [5, 6])]);
  assertEquals(slices, tensor([2, 2], [1, 2, 5, 6]));
  assertEquals(outputOf("ScatterND", [data, whole([0, 2], []), tensor([0], [])]), data);
});

Deno.test("scatters with max and min propagate NaN", () => {
  for (const reduction of ["max", "min"]) {
    const inputs = [tensor([2], [1, NaN]), whole([2, 1], [0, 1]), tensor([2], [NaN, 1])];
    const { data } = outputOf("ScatterND", inputs, { attributes: { reduction } });
    assertEquals(data, Float64Array.of(NaN, NaN));
  }
});

Deno.test("scatters reject shapes that do not fit", () => {
  const data = tensor([3], [1, 2, 3]), one = whole([1], [0]);
  const refused = (op: string, indices: typeof data, updates: typeof data, reduction = "none") =>
    assertThrows(
      () => outputOf(op, [data, indices, updates], { attributes: { reduction } }),
      RangeError,
      "Cannot evaluate",
    );
  refused("ScatterElements", one, tensor([2], [1, 2]));
  refused("ScatterElements", whole([1], [3]), tensor([1], [1]));
  refused("ScatterElements", one, tensor([1], [1]), "mean");
  refused("ScatterND", whole([1, 1], [0]), tensor([1, 1], [1]));
});

Deno.test("scatters with a reduction wrap integers around", () => {
  const most: PlainTensor = { type: "i32", dims: [1], data: Float64Array.of(2 ** 31 - 1) };
  const one: PlainTensor = { type: "i32", dims: [1], data: Float64Array.of(1) };
  const attributes = { reduction: "add" };
  const least = { ...most, data: Float64Array.of(-(2 ** 31)) };
  assertEquals(outputOf("ScatterElements", [most, whole([1], [0]), one], { attributes }), least);
  assertEquals(outputOf("ScatterND", [most, whole([1, 1], [0]), one], { attributes }), least);
});
