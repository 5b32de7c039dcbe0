import { intAttribute } from "../../codec/attributes.ts";
import { angleDivision, backFromSlope } from "../angle_slope.ts";
import type { OperatorGradient } from "../rule.ts";

/** Rules of arithmetic operators. */
export const ARITHMETIC: Readonly<Record<string, OperatorGradient>> = {
  Add: ({ g }) => [g, g],
  Sub: ({ g }, write) => [g, () => write.neg(g)],
  Mul: ({ a, b, g }, write) =>
    a === b
      ? [() => write.mul(write.mul(g, a), 2)]
      : [() => write.mul(g, b), () => write.mul(g, a)],
  Div: ({ a, b, y, g }, write) =>
    angleDivision(write, y) === undefined
      ? [() => write.div(g, b), () => write.neg(write.div(write.mul(g, y), b))]
      : backFromSlope(write, { a, b, y, g }),
  Neg: ({ g }, write) => [() => write.neg(g)],
  Reciprocal: ({ y, g }, write) => [() => write.neg(write.mul(write.mul(g, y), y))],
  Sum: ({ inputs, g }) => inputs.map(() => g),
  Mean: ({ inputs, g }, write) => inputs.map(() => () => write.div(g, inputs.length)),
  // a mod b = a − b · k with a piecewise constant k. Without fmod, the operands are integers.
  Mod: ({ node, a, b, y, g }, write) =>
    intAttribute(node, "fmod", 0) === 0
      ? []
      : [g, () => write.neg(write.mul(g, write.div(write.sub(a, y), b)))],
};
