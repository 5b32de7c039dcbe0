import { intAttribute, intsAttribute } from "../../attributes.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { GradientRule, Step } from "../rule.ts";

/** Sums and what is made of them. */
export const REDUCTIONS: Readonly<Record<string, GradientRule>> = {
  ReduceSum: (step, write) => [() => spread(step, write, step.g)],
};

/** A value of the shape of a reduction's output, repeated along the axes that went. */
function spread({ node, a, b }: Step, write: GradientWriter, value: string): string {
  if (intAttribute(node, "keepdims", 1) === 1) return write.expandLike(value, a);
  const axes = intsAttribute(node, "axes") ?? (b === "" ? undefined : write.facts.of(b).values);
  const rank = write.rankOf(a);
  const all = Array.from({ length: rank }, (_, axis) => axis);
  const gone = axes === undefined || axes.length === 0 ? all : axes.map((axis) => Number(axis));
  const places = gone.map((axis) => axis < 0 ? axis + rank : axis).sort((x, y) => x - y);
  return write.expandLike(write.unsqueeze(value, places), a);
}
