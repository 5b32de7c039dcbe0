import { checkSlopes } from "./check_slopes.ts";
import type { RuleInput } from "../../../src/testing/onnx.ts";

/** Places, fed. */
function places(data: readonly number[], ...dims: number[]): RuleInput {
  const lengths = dims.length === 0 ? [data.length] : dims;
  return { type: "i64", dims: lengths, data, shape: [`P${lengths[0]}`, ...lengths.slice(1)] };
}

/** Places that the graph knows. */
function fixed(data: readonly number[], ...dims: number[]): RuleInput {
  return { type: "i64", dims: dims.length === 0 ? [data.length] : dims, data, isConstant: true };
}

Deno.test("Gather adds gradients of indices that occur twice, counted from either end", () => {
  const indices = places([2, 0, 2, -1, -3]);
  checkSlopes({ op: "Gather", inputs: [{ dims: [3] }, indices] });
  checkSlopes({ op: "Gather", inputs: [{ dims: [3, 2] }, indices] });
  checkSlopes({ op: "Gather", inputs: [{ dims: [3, 2, 2] }, indices] });
  checkSlopes({ op: "Gather", inputs: [{ dims: [3] }, places([1, -1, 0, 1], 2, 2)] });
  checkSlopes({ op: "Gather", inputs: [{ dims: [3, 2] }, places([1, -1, 0, 1], 2, 2)] });
});

Deno.test("Gather has gradients along any axis", () => {
  const indices = places([2, 0, 2, -1]), square = places([1, -1, 0, 1], 2, 2);
  for (const axis of [1, -1]) {
    const attributes = { axis };
    checkSlopes({ op: "Gather", attributes, inputs: [{ dims: [2, 3] }, indices] });
    checkSlopes({ op: "Gather", attributes, inputs: [{ dims: [2, 3] }, square] });
    checkSlopes({ op: "Gather", attributes, inputs: [{ dims: [2, 3, 3] }, indices] });
    checkSlopes({ op: "Gather", attributes, inputs: [{ dims: [2, 3, 3] }, square] });
  }
});

Deno.test("Gather of one index and of consecutive indices has gradients along any axis", () => {
  for (const axis of [0, 1, -1]) {
    for (
      const indices of [fixed([1]), fixed([-2]), fixed([0, 1]), fixed([-2, -1]), fixed([1, 0])]
    ) {
      checkSlopes({ op: "Gather", attributes: { axis }, inputs: [{ dims: [3, 2, 2] }, indices] });
    }
    for (const place of [0, 1, -1]) {
      const single: RuleInput = { type: "i64", dims: [], data: [place] };
      for (const isConstant of [true, false]) {
        const inputs = [{ dims: [3, 2, 2] }, { ...single, isConstant }];
        checkSlopes({ op: "Gather", attributes: { axis }, inputs });
      }
    }
  }
  // From the last place on to the first.
  checkSlopes({ op: "Gather", inputs: [{ dims: [3, 2] }, fixed([-1, 0])] });
  checkSlopes({ op: "Gather", inputs: [{ dims: [1, 2] }, { type: "i64", dims: [], data: [0] }] });
});

Deno.test("Gather without indices has a gradient of zeros", () => {
  checkSlopes({ op: "Gather", inputs: [{ dims: [3, 2] }, places([])] });
  checkSlopes({ op: "Gather", inputs: [{ dims: [3, 2] }, fixed([])] });
  checkSlopes({ op: "Gather", inputs: [{ dims: [3, 0] }, places([1, 1])] });
});

Deno.test("indices may be int32", () => {
  const indices: RuleInput = { type: "i32", dims: [4], data: [2, 0, 2, -1] };
  for (const dims of [[3], [3, 2]]) checkSlopes({ op: "Gather", inputs: [{ dims }, indices] });
  checkSlopes({ op: "GatherElements", inputs: [{ dims: [3] }, indices] });
});

Deno.test("GatherND has gradients for elements and slices", () => {
  checkSlopes({ op: "GatherND", inputs: [{ dims: [4] }, places([1, -1, 1], 3, 1)] });
  checkSlopes({ op: "GatherND", inputs: [{ dims: [4, 2] }, places([1, -1, 1], 3, 1)] });
  checkSlopes({ op: "GatherND", inputs: [{ dims: [4, 2] }, places([1, 0, -1, 1, 1, 0], 3, 2)] });
  checkSlopes({ op: "GatherND", inputs: [{ dims: [2, 3, 2] }, places([1, 2, 0, -1], 2, 1, 2)] });
  checkSlopes({ op: "GatherND", inputs: [{ dims: [4, 2] }, places([], 0, 1)] });
  checkSlopes({ op: "GatherND", inputs: [{ dims: [4, 2] }, { ...places([1]), shape: [1] }] });
});

Deno.test("GatherND has gradients within each batch", () => {
  const attributes = { batch_dims: 1 };
  const inputs = [{ dims: [2, 3, 2] }, places([1, -1], 2, 1)];
  checkSlopes({ op: "GatherND", attributes, inputs });
  const several = [{ dims: [2, 3, 2] }, places([1, -1, 1, 0, 2, 2], 2, 3, 1)];
  checkSlopes({ op: "GatherND", attributes, inputs: several });
  const deep = [{ dims: [2, 2, 3] }, places([1, -1, 0, 2], 2, 2, 1)];
  checkSlopes({ op: "GatherND", attributes: { batch_dims: 2 }, inputs: deep });
});

Deno.test("GatherElements has gradients along any axis", () => {
  const indices = places([1, -1, 0, 1, 1, 1], 3, 2);
  for (const axis of [0, 1, -1]) {
    checkSlopes({
      op: "GatherElements",
      attributes: { axis },
      inputs: [{ dims: [3, 2] }, indices],
    });
  }
  checkSlopes({ op: "GatherElements", inputs: [{ dims: [3] }, places([2, 2, -3, 0, 1])] });
  checkSlopes({ op: "GatherElements", inputs: [{ dims: [3, 2] }, places([], 0, 2)] });
});

Deno.test("TopK passes gradients to the selected elements", () => {
  const data = [0.3, 1.7, -0.4, 0.9, 2.6, -1.1], k = fixed([2]);
  for (const axis of [0, 1, -1]) {
    for (const largest of [0, 1]) {
      const attributes = { axis, largest }, inputs = [{ dims: [3, 2], data }, k];
      checkSlopes({ op: "TopK", attributes, inputs, outputs: 2, discrete: [1] });
    }
  }
});

Deno.test("Compress passes gradients to the selected elements", () => {
  const some: RuleInput = { type: "bool", dims: [3], data: [1, 0, 1] };
  checkSlopes({ op: "Compress", inputs: [{ dims: [2, 3] }, some] });
  checkSlopes({ op: "Compress", attributes: { axis: 1 }, inputs: [{ dims: [2, 3] }, some] });
  checkSlopes({ op: "Compress", attributes: { axis: 0 }, inputs: [{ dims: [3, 2] }, some] });
  checkSlopes({ op: "Compress", attributes: { axis: 0 }, inputs: [{ dims: [3] }, some] });
});
