import { tensorValues } from "../../codec/tensor_proto.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { GradientRule } from "../rule.ts";

/** Up to here whole powers are products: onnxruntime's Pow is slow, and powers of negative numbers are exact. */
const MOST_FACTORS = 8;

/** Powers and roots. */
export const POWERS: Readonly<Record<string, GradientRule>> = {
  Sqrt: ({ y, g }, write) => [() => write.div(write.mul(g, 0.5), y)],
  Pow: ({ a, b, y, g }, write) => {
    const exponent = numberOf(write, b);
    return [
      () => exponent === undefined ? byBase(write, a, b, g) : byPower(write, { a, y, g }, exponent),
      // The exponent may be of another type than the power.
      () => write.cast(byExponent(write, a, y, g), write.typeOf(b)),
    ];
  },
};

/** g · p · aᵖ⁻¹ */
function byPower(
  write: GradientWriter,
  { a, y, g }: { readonly a: string; readonly y: string; readonly g: string },
  p: number,
): string {
  if (p === 0) return write.zeros(g);
  if (p === 1) return g;
  if (p === 0.5) return write.div(write.mul(g, 0.5), y);
  if (p === -1) return write.neg(write.mul(write.mul(g, y), y));
  return write.mul(write.mul(g, power(write, a, p - 1)), p);
}

/** aᵖ, as products where that is short. */
function power(write: GradientWriter, a: string, p: number): string {
  if (p === 1) return a;
  if (!Number.isInteger(p) || p < 1 || p > MOST_FACTORS) return write.make("Pow", [a, p]);
  const half = write.square(power(write, a, Math.floor(p / 2)));
  return p % 2 === 0 ? half : p === 1 ? a : write.mul(half, a);
}

/** g · b · aᵇ⁻¹, and 0 where b is 0, whatever a is. */
function byBase(write: GradientWriter, a: string, b: string, g: string): string {
  const isZero = write.make("Equal", [b, 0]);
  const less = write.where(isZero, 1, write.sub(b, 1));
  const factor = write.cast(b, write.typeOf(a));
  return write.mul(g, write.mul(write.make("Pow", [a, less]), factor));
}

/** g · y · log a, and 0 where a is 0. */
function byExponent(write: GradientWriter, a: string, y: string, g: string): string {
  const isZero = write.make("Equal", [a, 0]);
  const log = write.make("Log", [write.where(isZero, 1, a)]);
  return write.mul(g, write.mul(y, log));
}

/** The number that a constant is everywhere, or `undefined`. */
function numberOf(write: GradientWriter, name: string): number | undefined {
  const tensor = write.graph.constant(name);
  if (tensor === undefined) return write.fillOf(name);
  const values = Array.from(tensorValues(tensor), Number), [first] = values;
  // Half precision is kept as bits, which are other numbers.
  if (write.typeOf(name) === "f16" || write.typeOf(name) === "bf16") return undefined;
  return first !== undefined && values.every((value) => value === first) ? first : undefined;
}
