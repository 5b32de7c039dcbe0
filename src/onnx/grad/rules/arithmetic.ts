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
};
