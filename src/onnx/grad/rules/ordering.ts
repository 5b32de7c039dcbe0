import { intAttribute } from "../../codec/attributes.ts";
import type { GradientRule } from "../rule.ts";

/** Sums from the other end on. */
const cumSum: GradientRule = ({ node, b, g }, write) => [
  () =>
    write.make("CumSum", [g, b], {
      exclusive: intAttribute(node, "exclusive", 0),
      reverse: 1 - intAttribute(node, "reverse", 0),
    }),
];

/** What a linear operator that is its own inverse, or leaves elements out, does to its result it does to gradients. */
const again: GradientRule = ({ node, inputs, g }, write) => [() => {
  const made = write.graph.add(node.opType, [g, ...inputs.slice(1)]);
  made.attribute.push(...node.attribute);
  return made.output[0]!;
}];

/** Sums along an axis, triangles, sequences turned round. */
export const ORDERING: Readonly<Record<string, GradientRule>> = {
  CumSum: cumSum,
  ReverseSequence: again,
  Trilu: again,
};
