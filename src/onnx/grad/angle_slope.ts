/**
 * Gradient of atan(n / d) at d = 0. Exporters write the angle of a vector (atan2) in this form. At d = 0 the quotient
 * is infinite, while the angle and its gradient are finite. The rules of Atan and Div are applied one after the
 * other, and neither alone can compute the limit. So the two rules cooperate. Where d is 0, the rule of Atan passes
 * its gradient g on unchanged, and the rule of Div treats it as the gradient of the angle. Then n gets g · d / (n² +
 * d²), and d gets −g · n / (n² + d²); both get 0 if n is 0, too. Elsewhere the results of both rules are bitwise
 * identical to the usual ones.
 *
 * @module
 */

import type { NodeProto } from "../codec/messages.ts";
import type { GradientWriter } from "./gradient_writer.ts";

/**
 * Returns the division that computes `value`, if one Atan is the only node that uses `value`, apart from guarded
 * nodes of earlier gradients. Returns `undefined` in all other cases.
 */
export function angleDivision(write: GradientWriter, value: string): NodeProto | undefined {
  const { graph } = write, node = graph.producer(value);
  if (node?.opType !== "Div" || node.domain !== "" || graph.isOutput(value)) return undefined;
  const others = graph.uses(value).filter((use) => !isGuarded(write, use.node, node.input[1]!));
  return others.length === 1 && others[0]!.node.opType === "Atan" ? node : undefined;
}

/**
 * Returns whether a node is a Where of an earlier gradient that does not use the quotient where the divisor `d` is 0.
 */
function isGuarded({ graph }: GradientWriter, { opType, input }: NodeProto, d: string): boolean {
  const condition = graph.producer(input[0] ?? "");
  return opType === "Where" && condition?.opType === "Equal" && condition.input[0] === d;
}

/**
 * Adds the gradient that Atan passes on to the division `node`, and returns its name. Where the divisor is 0, it is
 * g.
 */
export function backToSlope(
  write: GradientWriter,
  g: string,
  { input, output }: NodeProto,
): string {
  const isEdge = write.make("Equal", [input[1]!, 0]);
  return write.div(g, write.add(write.square(write.where(isEdge, 0, output[0]!)), 1));
}

/** Returns functions that write the gradients of n and d for a division n / d inside an Atan. */
export function backFromSlope(
  write: GradientWriter,
  { a: n, b: d, y, g }: {
    readonly a: string;
    readonly b: string;
    readonly y: string;
    readonly g: string;
  },
): readonly [() => string, () => string] {
  const isEdge = write.make("Equal", [d, 0]);
  const inner = write.where(isEdge, 0, g), divisor = write.where(isEdge, 1, d);
  const outer = write.where(isEdge, g, 0);
  const atEdge = (along: string) => {
    const square = write.add(write.square(n), write.square(d));
    const isNone = write.make("Equal", [square, 0]);
    return write.div(write.mul(outer, along), write.where(isNone, 1, square));
  };
  return [
    () => write.where(isEdge, atEdge(d), write.div(inner, divisor)),
    () => {
      const slope = write.div(write.mul(inner, write.where(isEdge, 0, y)), divisor);
      return write.neg(write.where(isEdge, atEdge(n), slope));
    },
  ];
}
