import { intAttribute } from "../../codec/attributes.ts";
import type { GradientRule } from "../rule.ts";

/** Sums, products and what is made of them. */
export const ARITHMETIC: Readonly<Record<string, GradientRule>> = {
  Add: ({ g }) => [g, g],
  Sub: ({ g }, write) => [g, () => write.neg(g)],
  Mul: ({ a, b, g }, write) =>
    a === b
      ? [() => write.mul(write.mul(g, a), 2)]
      : [() => write.mul(g, b), () => write.mul(g, a)],
  Div: ({ b, y, g }, write) => [
    () => write.div(g, b),
    () => write.neg(write.div(write.mul(g, y), b)),
  ],
  Neg: ({ g }, write) => [() => write.neg(g)],
  Reciprocal: ({ y, g }, write) => [() => write.neg(write.mul(write.mul(g, y), y))],
  Sum: ({ inputs, g }) => inputs.map(() => g),
  Mean: ({ inputs, g }, write) => inputs.map(() => () => write.div(g, inputs.length)),
  // a − b · (how many times b goes into a), which does not change a little. Whole numbers do not come here.
  Mod: ({ node, a, b, y, g }, write) =>
    intAttribute(node, "fmod", 0) === 0
      ? []
      : [g, () => write.neg(write.mul(g, write.div(write.sub(a, y), b)))],
};
