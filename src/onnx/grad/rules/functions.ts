import { angleDivision, backToSlope } from "../angle_slope.ts";
import { overRootOf } from "../at_edges.ts";
import type { OperatorGradient } from "../rule.ts";

/** Rule of functions whose derivative is zero everywhere it is defined. */
const stop: OperatorGradient = () => [];

/** Rules of elementwise functions of one value. */
export const FUNCTIONS: Readonly<Record<string, OperatorGradient>> = {
  Exp: ({ y, g }, write) => [() => write.mul(g, y)],
  Log: ({ a, g }, write) => [() => write.div(g, a)],
  Sin: ({ a, g }, write) => [() => write.mul(g, write.make("Cos", [a]))],
  Cos: ({ a, g }, write) => [() => write.neg(write.mul(g, write.make("Sin", [a])))],
  Tan: ({ y, g }, write) => [() => write.add(write.mul(write.mul(g, y), y), g)],
  Asin: ({ a, g }, write) => [
    () => overRootOf(write, g, write.sub(1, write.square(a))),
  ],
  Acos: ({ a, g }, write) => [
    () => write.neg(overRootOf(write, g, write.sub(1, write.square(a)))),
  ],
  Atan: ({ a, g }, write) => {
    const slope = angleDivision(write, a);
    return [
      () =>
        slope === undefined
          ? write.div(g, write.add(write.square(a), 1))
          : backToSlope(write, g, slope),
    ];
  },
  Sinh: ({ a, g }, write) => [() => write.mul(g, write.make("Cosh", [a]))],
  Cosh: ({ a, g }, write) => [() => write.mul(g, write.make("Sinh", [a]))],
  Tanh: ({ y, g }, write) => [() => write.mul(g, write.sub(1, write.square(y)))],
  Asinh: ({ a, g }, write) => [
    () => write.div(g, write.make("Sqrt", [write.add(write.square(a), 1)])),
  ],
  Acosh: ({ a, g }, write) => [
    () => overRootOf(write, g, write.sub(write.square(a), 1)),
  ],
  Atanh: ({ a, g }, write) => [() => write.div(g, write.sub(1, write.square(a)))],
  Erf: ({ a, g }, write) => [
    () => write.mul(write.mul(g, write.make("Exp", [write.neg(write.square(a))])), TWO_BY_ROOT_PI),
  ],
  // WebGPU has no Sign operator. The derivative at 0 is 0, as in PyTorch.
  Abs: ({ a, g }, write) => [() => write.signed(g, a)],
  Sign: stop,
  Floor: stop,
  Ceil: stop,
  Round: stop,
};

/** 2 / √π. */
const TWO_BY_ROOT_PI = 2 / Math.sqrt(Math.PI);
