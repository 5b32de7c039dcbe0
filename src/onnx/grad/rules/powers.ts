import { tensorValues } from "../../codec/tensor_proto.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { overRoot, unlessZero } from "../at_edges.ts";
import type { OperatorGradient } from "../rule.ts";

/**
 * Largest integer power that is written as products. Pow is slow in onnxruntime, and products are exact for
 * negative bases.
 */
const MOST_FACTORS = 8;

/** Rules of powers and roots. */
export const POWERS: Readonly<Record<string, OperatorGradient>> = {
  Sqrt: ({ y, g }, write) => [() => overRoot(write, write.mul(g, 0.5), y)],
  Pow: ({ a, b, y, g }, write) => {
    const exponent = numberOf(write, b);
    return [
      () => exponent === undefined ? byBase(write, a, b, g) : byPower(write, { a, y, g }, exponent),
      // The exponent may have another type than the base.
      () => write.cast(byExponent(write, { a, b, y, g }), write.typeOf(b)),
    ];
  },
};

/**
 * Adds nodes for g · p · aᵖ⁻¹, and returns the name of the result. An infinite derivative at 0 is replaced by 0
 * unless the power itself is infinite there.
 */
function byPower(
  write: GradientWriter,
  { a, y, g }: { readonly a: string; readonly y: string; readonly g: string },
  p: number,
): string {
  if (p === 0) return write.zeros(g);
  if (p === 1) return g;
  if (p === 0.5) return overRoot(write, write.mul(g, 0.5), y);
  if (p === -1) return write.neg(write.mul(write.mul(g, y), y));
  const slope = (g: string, a: string) => write.mul(write.mul(g, power(write, a, p - 1)), p);
  return p > 0 && p < 1 ? unlessZero(write, a, { g, a }, slope) : slope(g, a);
}

/**
 * Adds nodes for aᵖ, and returns the name of the result: products if p is an integer from 1 to `MOST_FACTORS`,
 * otherwise a Pow.
 */
function power(write: GradientWriter, a: string, p: number): string {
  if (p === 1) return a;
  if (!Number.isInteger(p) || p < 1 || p > MOST_FACTORS) return write.make("Pow", [a, p]);
  const half = write.square(power(write, a, Math.floor(p / 2)));
  return p % 2 === 0 ? half : p === 1 ? a : write.mul(half, a);
}

/**
 * Adds nodes for g · b · aᵇ⁻¹, and returns the name of the result. It is 0 where b is 0, and where a is 0 and b is
 * between 0 and 1: an infinite derivative is replaced by 0 where the power is finite, as in `byPower`.
 */
function byBase(write: GradientWriter, a: string, b: string, g: string): string {
  const isZero = write.make("Equal", [b, 0]);
  const less = write.where(isZero, 1, write.sub(b, 1));
  const factor = write.cast(b, write.typeOf(a));
  const isRoot = write.make("And", [
    write.make("Greater", [b, 0]),
    write.make("Less", [b, 1]),
  ]);
  const edge = write.where(isRoot, a, 1);
  return unlessZero(
    write,
    edge,
    { g, a },
    (g, a) => write.mul(g, write.mul(write.make("Pow", [a, less]), factor)),
  );
}

/** Adds nodes for g · y · log a, or 0 where a is 0 and the power is finite, and returns the name of the result. */
function byExponent(
  write: GradientWriter,
  { a, b, y, g }: Readonly<Record<"a" | "b" | "y" | "g", string>>,
): string {
  const isFinite = write.make("Not", [write.make("Less", [b, 0])]);
  const isEdge = write.make("And", [write.make("Equal", [a, 0]), isFinite]);
  const log = write.make("Log", [write.where(isEdge, 1, a)]);
  return write.mul(g, write.mul(y, log));
}

/** Returns the number that all elements of a constant equal; `undefined` for other values. */
function numberOf(write: GradientWriter, name: string): number | undefined {
  const tensor = write.graph.constant(name);
  if (tensor === undefined) return write.fillOf(name);
  const values = Array.from(tensorValues(tensor), Number), [first] = values;
  // 16-bit floats are stored as bits, which are not their values.
  if (write.typeOf(name) === "f16" || write.typeOf(name) === "bf16") return undefined;
  return first !== undefined && values.every((value) => value === first) ? first : undefined;
}
