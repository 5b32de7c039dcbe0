import { assertEquals, assertThrows } from "@std/assert";
import { evaluateAll } from "./evaluate_op.ts";
import { outputOf, tensor, whole } from "./one_node.ts";

const LINE = tensor([1, 1, 5], [3, 1, 4, 1, 5]);
const SQUARE = tensor([1, 2, 2, 3], [1, 5, 2, 4, 3, 6, -1, -5, -2, -4, -3, -6]);

Deno.test("MaxPool returns the maximum of each window, and the index of the first of equal ones", () => {
  const [y, at] = evaluateAll("MaxPool", [LINE], { attributes: { kernel_shape: [2] } });
  assertEquals([y, at], [tensor([1, 1, 4], [3, 4, 4, 5]), whole([1, 1, 4], [0, 2, 2, 4])]);
  const ties = evaluateAll("MaxPool", [tensor([1, 1, 3], [2, 2, 2])], {
    attributes: { kernel_shape: [3] },
  });
  assertEquals(ties, [tensor([1, 1, 1], [2]), whole([1, 1, 1], [0])]);
});

Deno.test("MaxPool counts indices over all channels, in row or column order", () => {
  const attributes = { kernel_shape: [2, 2] };
  const [y, at] = evaluateAll("MaxPool", [SQUARE], { attributes });
  assertEquals(y, tensor([1, 2, 1, 2], [5, 6, -1, -2]));
  assertEquals(at, whole([1, 2, 1, 2], [1, 5, 6, 8]));
  const columns = evaluateAll("MaxPool", [SQUARE], {
    attributes: { ...attributes, storage_order: 1 },
  });
  assertEquals(columns[1], whole([1, 2, 1, 2], [2, 5, 6, 10]));
});

Deno.test("MaxPool ignores padding, and propagates NaN", () => {
  const padded = outputOf("MaxPool", [tensor([1, 1, 2], [-3, -4])], {
    attributes: { kernel_shape: [2], pads: [1, 1] },
  });
  assertEquals(padded, tensor([1, 1, 3], [-3, -3, -4]));
  const unknown = outputOf("MaxPool", [tensor([1, 1, 4], [1, NaN, 2, 3])], {
    attributes: { kernel_shape: [2] },
  });
  assertEquals(unknown, tensor([1, 1, 3], [NaN, NaN, 3]));
});

Deno.test("pools support strides and dilations, and partial windows with ceil_mode", () => {
  const pool = (
    attributes: Record<string, number | number[]>,
  ) => [...outputOf("MaxPool", [LINE], { attributes: { kernel_shape: [2], ...attributes } }).data];
  assertEquals(pool({ strides: [2] }), [3, 4]);
  assertEquals(pool({ strides: [2], ceil_mode: 1 }), [3, 4, 5]);
  assertEquals(pool({ dilations: [3] }), [3, 5]);
  // A window that would begin in the padding at the end does not exist.
  assertEquals(pool({ strides: [5], pads: [0, 2], ceil_mode: 1 }), [3]);
});

Deno.test("AveragePool counts padding only if requested, and never elements beyond it", () => {
  const x = tensor([1, 1, 3], [6, 3, 9]);
  const pool = (attributes: Record<string, number | number[]>) =>
    outputOf("AveragePool", [x], {
      attributes: { kernel_shape: [2], pads: [1, 0], ...attributes },
    });
  assertEquals(pool({}), tensor([1, 1, 3], [6, 4.5, 6]));
  assertEquals(pool({ count_include_pad: 1 }), tensor([1, 1, 3], [3, 4.5, 6]));
  const beyond = pool({
    kernel_shape: [3],
    strides: [2],
    pads: [0, 1],
    ceil_mode: 1,
    count_include_pad: 1,
  });
  assertEquals(beyond, tensor([1, 1, 2], [6, 4.5]));
});

Deno.test("LpPool returns the norm of each window", () => {
  const x = tensor([1, 1, 3], [3, -4, 12]);
  const pool = (p: number) => outputOf("LpPool", [x], { attributes: { kernel_shape: [2], p } });
  assertEquals(pool(2), tensor([1, 1, 2], [5, Math.sqrt(160)]));
  assertEquals(pool(1), tensor([1, 1, 2], [7, 16]));
});

Deno.test("global pools return one number per channel", () => {
  assertEquals(outputOf("GlobalMaxPool", [SQUARE]), tensor([1, 2, 1, 1], [6, -1]));
  assertEquals(outputOf("GlobalAveragePool", [SQUARE]), tensor([1, 2, 1, 1], [3.5, -3.5]));
  const lengths = outputOf("GlobalLpPool", [tensor([2, 1, 2], [3, 4, -6, 8])]);
  assertEquals(lengths, tensor([2, 1, 1], [5, 10]));
});

Deno.test("pools reject a kernel with another number of axes than the image", () => {
  const wrong = () => outputOf("MaxPool", [LINE], { attributes: { kernel_shape: [2, 2] } });
  assertThrows(wrong, RangeError, "its kernel_shape must fit [1,1,5]; got [2,2]");
});
