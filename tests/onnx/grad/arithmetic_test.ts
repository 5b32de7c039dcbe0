import { checkRule } from "../../../src/testing/onnx.ts";

/** Two operands, in every way in which one can be repeated along the other. */
const OPERANDS: readonly (readonly [readonly number[], readonly number[]])[] = [
  [[3], [3]],
  [[2, 3], [3]],
  [[2, 3], []],
  [[2, 1], [1, 3]],
  [[1], [2, 3]],
  [[2, 3, 2], [3, 1]],
  [[0, 3], [3]],
  [[], []],
];

for (const op of ["Add", "Sub", "Mul", "Div"]) {
  Deno.test(`first and second derivatives of ${op} agree with finite differences`, () => {
    for (const [a, b] of OPERANDS) checkRule({ op, inputs: [{ dims: a }, { dims: b }] });
  });
}

Deno.test("the gradient of Neg agrees with finite differences", () => {
  checkRule({ op: "Neg", inputs: [{ dims: [2, 3] }] });
});
