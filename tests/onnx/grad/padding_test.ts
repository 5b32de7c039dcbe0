import { checkSlopes } from "./check_slopes.ts";
import type { RuleInput } from "../../../src/testing/onnx.ts";

function list(data: readonly number[], isConstant: boolean): RuleInput {
  return { type: "i64", dims: [data.length], shape: [data.length], data, isConstant };
}

for (const isConstant of [true, false]) {
  const how = isConstant ? "known" : "fed";
  Deno.test(`the gradient of Pad removes padding and fills cropped elements with zeros: ${how}`, () => {
    const by = (dims: number[], pads: number[], axes?: number[]) => {
      const named = axes === undefined ? [] : [list(axes, isConstant)];
      const inputs = [{ dims }, list(pads, isConstant), { dims: [] }, ...named];
      checkSlopes({ op: "Pad", inputs });
    };
    by([2, 3], [0, 1, 2, 0]);
    by([2, 3], [0, 0, 0, 0]);
    by([2, 3], [0, -1, 1, -1]);
    by([2, 3], [-1, 2, 0, -2]);
    by([2, 3], [2, 1], [-1]);
    by([2, 3], [1, -1, 0, 2], [1, 0]);
    by([0, 3], [1, 0, 1, 1]);
  });

  Deno.test(`the gradient of Pad adds copied elements: ${how}`, () => {
    for (const mode of ["reflect", "edge", "wrap"]) {
      const attributes = { mode }, opset = 19;
      const by = (dims: number[], pads: number[], ...more: (RuleInput | undefined)[]) => {
        const inputs = [{ dims }, list(pads, isConstant), ...more];
        checkSlopes({ op: "Pad", opset, attributes, inputs });
      };
      by([4], [2, 3]);
      by([3, 4], [1, 0, 2, 1]);
      by([3, 4], [1, 3], undefined, list([-1], isConstant));
      by([3, 4], [-1, 2, 1, -1]);
      by([3, 0], [1, 0, 1, 0]);
    }
  });
}

Deno.test("Pad without a value has a gradient", () => {
  checkSlopes({ op: "Pad", inputs: [{ dims: [2, 3] }, list([1, 0, 0, 2], true)] });
});
