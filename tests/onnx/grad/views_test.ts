import { checkRule } from "../../../src/testing/onnx.ts";
import type { RuleInput } from "../../../src/testing/onnx.ts";

function list(data: readonly number[], isConstant = true): RuleInput {
  return { type: "i64", dims: [data.length], shape: [data.length], data, isConstant };
}

for (const isConstant of [true, false]) {
  const how = isConstant ? "known" : "fed";
  Deno.test(`the gradient of Reshape has the input's shape: ${how}`, () => {
    const fit = (dims: number[], shape: number[], attributes = {}) =>
      checkRule({ op: "Reshape", attributes, inputs: [{ dims }, list(shape, isConstant)] });
    fit([2, 3], [6]);
    fit([2, 3], [3, -1]);
    fit([2, 6], [0, 2, 3]);
    fit([2, 3, 4], [4, 3, 2]);
    const open = { dims: [2, 3, 4], shape: ["A", "B", 4] };
    checkRule({ op: "Reshape", inputs: [open, list([0, 0, 2, 2], isConstant)] });
    fit([1], []);
    fit([], [1, 1]);
    fit([0, 3], [3, 0], { allowzero: 1 });
    fit([3, 0], [0, 3, 2], { allowzero: 1 });
    fit([0, 4], [0, 2, 2]);
  });

  Deno.test(`the gradient of Squeeze and Unsqueeze has the input's shape: ${how}`, () => {
    const dims = [2, 3];
    checkRule({ op: "Unsqueeze", inputs: [{ dims }, list([0, -1], isConstant)] });
    checkRule({ op: "Unsqueeze", inputs: [{ dims: [] }, list([0], isConstant)] });
    const whole = { dims: [1, 2, 1, 3], shape: [1, "A", 1, "B"] };
    checkRule({ op: "Squeeze", inputs: [whole, list([-2, 0], isConstant)] });
    checkRule({ op: "Squeeze", inputs: [{ dims: [1] }, list([0], isConstant)] });
  });

  Deno.test(`the gradient of Expand and Tile sums the copies: ${how}`, () => {
    const by = (dims: number[], times: number[]) =>
      checkRule({ op: "Tile", inputs: [{ dims }, list(times, isConstant)] });
    by([2, 3], [2, 1]);
    by([2, 3], [1, 3]);
    by([2, 3], [2, 2]);
    by([2, 3], [1, 1]);
    by([2, 3], [0, 2]);
    by([0, 3], [2, 2]);
    by([3], [4]);
    const to = (dims: number[], shape: number[]) =>
      checkRule({ op: "Expand", inputs: [{ dims }, list(shape, isConstant)] });
    to([2, 1], [2, 3]);
    to([3], [2, 3]);
    to([], [2, 3]);
    to([2, 3], [1]);
    to([1], [0]);
  });
}

Deno.test("the gradient of Squeeze without axes has the input's shape", () => {
  checkRule({ op: "Squeeze", inputs: [{ dims: [1, 2, 1], shape: [1, 2, 1] }] });
});

Deno.test("the gradient of Flatten has the input's shape", () => {
  for (const axis of [0, 1, 2, -1]) {
    checkRule({ op: "Flatten", attributes: { axis }, inputs: [{ dims: [2, 3, 2] }] });
  }
});

Deno.test("the gradient of Transpose permutes axes back", () => {
  checkRule({ op: "Transpose", inputs: [{ dims: [2, 3, 4] }] });
  checkRule({ op: "Transpose", attributes: { perm: [2, 0, 1] }, inputs: [{ dims: [2, 3, 4] }] });
  checkRule({ op: "Transpose", attributes: { perm: [1, 0] }, inputs: [{ dims: [0, 3] }] });
});

Deno.test("the gradients of SpaceToDepth and DepthToSpace reverse each other", () => {
  for (const mode of ["DCR", "CRD"]) {
    const attributes = { blocksize: 2, mode };
    checkRule({ op: "DepthToSpace", attributes, inputs: [{ dims: [1, 8, 1, 3] }] });
  }
  checkRule({ op: "SpaceToDepth", attributes: { blocksize: 2 }, inputs: [{ dims: [1, 2, 2, 4] }] });
});
