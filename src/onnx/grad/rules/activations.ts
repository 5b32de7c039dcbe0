import { floatAttribute, textAttribute } from "../../codec/attributes.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { OperatorGradient } from "../rule.ts";

/** Rules of activation functions. At a kink they use the derivative of the left side, as PyTorch does. */
export const ACTIVATIONS: Readonly<Record<string, OperatorGradient>> = {
  Relu: ({ y, g }, write) => [() => write.where(write.make("Greater", [y, 0]), g, 0)],
  LeakyRelu: ({ node, a, g }, write) => [
    () => whereAbove(write, a, g, write.mul(g, floatAttribute(node, "alpha", 0.01))),
  ],
  // d/dx α(eˣ − 1) = y + α
  Elu: ({ node, a, y, g }, write) => [
    () => whereAbove(write, a, g, write.mul(g, write.add(y, floatAttribute(node, "alpha", 1)))),
  ],
  Celu: ({ node, a, y, g }, write) => [
    () => {
      const alpha = floatAttribute(node, "alpha", 1);
      const slope = write.div(write.add(y, alpha), alpha);
      return whereAbove(write, a, g, write.mul(g, slope));
    },
  ],
  Selu: ({ node, a, y, g }, write) => [
    () => {
      const alpha = floatAttribute(node, "alpha", SELU_ALPHA);
      const gamma = floatAttribute(node, "gamma", SELU_GAMMA);
      return whereAbove(
        write,
        a,
        write.mul(g, gamma),
        write.mul(g, write.add(y, alpha * gamma)),
      );
    },
  ],
  ThresholdedRelu: ({ node, a, g }, write) => [
    () => write.where(write.make("Greater", [a, floatAttribute(node, "alpha", 1)]), g, 0),
  ],
  PRelu: ({ a, b: slope, g }, write) => [
    () => whereAbove(write, a, g, write.mul(g, slope)),
    () => whereAbove(write, a, 0, write.mul(g, a)),
  ],
  Shrink: ({ node, a, g }, write) => [
    () => {
      const size = write.make("Abs", [a]);
      return write.where(write.make("Greater", [size, floatAttribute(node, "lambd", 0.5)]), g, 0);
    },
  ],
  Sigmoid: ({ y, g }, write) => [() => write.mul(g, write.mul(y, write.sub(1, y)))],
  HardSigmoid: ({ node, y, g }, write) => [
    () => {
      const flat = write.where(
        write.make("Less", [y, 1]),
        write.mul(g, floatAttribute(node, "alpha", 0.2)),
        0,
      );
      return write.where(write.make("Greater", [y, 0]), flat, 0);
    },
  ],
  HardSwish: ({ a, g }, write) => [
    () => {
      const inner = write.mul(g, write.add(write.mul(a, 1 / 3), 0.5));
      const upper = write.where(write.make("LessOrEqual", [a, 3]), inner, g);
      return write.where(write.make("Less", [a, -3]), 0, upper);
    },
  ],
  Softplus: ({ a, g }, write) => [() => write.mul(g, write.make("Sigmoid", [a]))],
  Softsign: ({ a, g }, write) => [
    () => write.div(g, write.square(write.add(write.make("Abs", [a]), 1))),
  ],
  // Mish is x · tanh(softplus x).
  Mish: ({ a, g }, write) => [
    () => {
      const t = write.make("Tanh", [write.make("Softplus", [a])]);
      const s = write.make("Sigmoid", [a]);
      const bend = write.mul(write.mul(a, s), write.sub(1, write.square(t)));
      return write.mul(g, write.add(t, bend));
    },
  ],
  Gelu: ({ node, a, g }, write) => [
    () =>
      write.mul(
        g,
        textAttribute(node, "approximate", "none") === "tanh"
          ? slopeOfTanhGelu(write, a)
          : slopeOfGelu(write, a),
      ),
  ],
  "com.microsoft.Gelu": ({ a, g }, write) => [() => write.mul(g, slopeOfGelu(write, a))],
};

const SELU_ALPHA = 1.67326319217681884765625, SELU_GAMMA = 1.05070102214813232421875;

/** Adds nodes for x where a is positive and y elsewhere, and returns the name of the result. */
function whereAbove(write: GradientWriter, a: string, x: string | number, y: string): string {
  return write.where(write.make("Greater", [a, 0]), x, y);
}

/**
 * Adds nodes for the derivative of x · Φ(x), which is Φ(x) + x · φ(x), and returns the name of the result. Φ and φ
 * are the distribution function and the density of the standard normal distribution.
 */
function slopeOfGelu(write: GradientWriter, a: string): string {
  const erf = write.make("Erf", [write.mul(a, Math.SQRT1_2)]);
  const below = write.mul(write.add(erf, 1), 0.5);
  const bell = write.make("Exp", [write.mul(write.square(a), -0.5)]);
  return write.add(below, write.mul(write.mul(a, bell), 1 / Math.sqrt(2 * Math.PI)));
}

/**
 * Adds nodes for the derivative of ½ x (1 + tanh u) with u = √(2/π) (x + 0.044715 x³), and returns the name of the
 * result. The derivative is ½ (1 + t) + ½ x (1 − t²) u′, where t = tanh u.
 */
function slopeOfTanhGelu(write: GradientWriter, a: string): string {
  const scale = Math.sqrt(2 / Math.PI), cubic = 0.044715;
  const squared = write.square(a);
  const u = write.mul(write.mul(a, write.add(write.mul(squared, cubic), 1)), scale);
  const t = write.make("Tanh", [u]);
  const inner = write.mul(write.add(write.mul(squared, 3 * cubic), 1), scale);
  const bend = write.mul(write.mul(a, write.sub(1, write.square(t))), inner);
  return write.mul(write.add(write.add(t, 1), bend), 0.5);
}
