import { checkRule } from "../../../src/testing/onnx.ts";

Deno.test("CumSum sums gradients in the opposite direction", () => {
  for (const exclusive of [0, 1]) {
    for (const reverse of [0, 1]) {
      for (const place of [0, 1, -1]) {
        const axis = { type: "i64", dims: [], data: [place], isConstant: true } as const;
        const attributes = { exclusive, reverse };
        checkRule({ op: "CumSum", attributes, inputs: [{ dims: [2, 4] }, axis] });
      }
    }
  }
});

Deno.test("Trilu masks gradients", () => {
  for (const upper of [0, 1]) {
    checkRule({ op: "Trilu", attributes: { upper }, inputs: [{ dims: [3, 4] }] });
    for (const k of [-1, 0, 2]) {
      const diagonal = { type: "i64", dims: [], data: [k] } as const;
      checkRule({ op: "Trilu", attributes: { upper }, inputs: [{ dims: [2, 3, 3] }, diagonal] });
    }
  }
});

Deno.test("ReverseSequence reverses gradients", () => {
  const lengths = { type: "i64", dims: [2], data: [3, 2] } as const;
  const batchFirst = { batch_axis: 0, time_axis: 1 };
  checkRule({ op: "ReverseSequence", inputs: [{ dims: [4, 2, 3] }, lengths] });
  checkRule({ op: "ReverseSequence", attributes: batchFirst, inputs: [{ dims: [2, 4] }, lengths] });
});
