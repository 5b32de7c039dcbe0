/**
 * Gradients at the edges of a domain, where a derivative is infinite although the value is finite: √x at 0, acos x
 * at ±1.
 *
 * There the gradient is set to 0, for first and higher derivatives. An infinite derivative would give 0 · ∞ = NaN
 * in every atom that the value depends on, even if the value has an extremum by symmetry and its true gradient is
 * zero, such as the angle of three atoms in a line. Inside the domain results are bitwise unchanged, because Where
 * passes on the same operands.
 *
 * @module
 */

import type { GradientWriter } from "./gradient_writer.ts";
import { Signs } from "./signs.ts";

/**
 * Adds nodes for g / y, or 0 where y is 0, and returns the name of the result. The value y must be a root, whose
 * derivative is infinite where it is 0. The check for 0 is left out only if y is proven to be positive.
 */
export function overRoot(write: GradientWriter, g: string, y: string): string {
  if (new Signs(write.graph).isPositive(y)) return write.div(g, y);
  const isEdge = write.make("Equal", [y, 0]);
  return write.div(write.where(isEdge, 0, g), write.where(isEdge, 1, y));
}

/**
 * Adds nodes for g / √square, or 0 where `square` is 0, and returns the name of the result. Where `square` is 0, the
 * root is taken of 1, so that derivatives of this expression are finite as well.
 */
export function overRootOf(write: GradientWriter, g: string, square: string): string {
  const isEdge = write.make("Equal", [square, 0]);
  const root = write.make("Sqrt", [write.where(isEdge, 1, square)]);
  return write.div(write.where(isEdge, 0, g), root);
}

/**
 * Adds nodes for `slope(g, a)`, or 0 where `edge` is 0, and returns the name of the result. The function `slope` must
 * be linear in g. Where `edge` is 0, its arguments are 0 for g and 1 for a, so that no infinity occurs.
 */
export function unlessZero(
  write: GradientWriter,
  edge: string,
  { g, a }: { readonly g: string; readonly a: string },
  slope: (g: string, a: string) => string,
): string {
  const isEdge = write.make("Equal", [edge, 0]);
  return slope(write.where(isEdge, 0, g), write.where(isEdge, 1, a));
}
