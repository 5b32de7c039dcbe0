import { intAttribute } from "../../codec/attributes.ts";
import type { OperatorGradient } from "../rule.ts";

/** Rule of CumSum. The gradient is the cumulative sum of g in the opposite direction. */
const cumSum: OperatorGradient = ({ node, b, g }, write) => [
  () =>
    write.make("CumSum", [g, b], {
      exclusive: intAttribute(node, "exclusive", 0),
      reverse: 1 - intAttribute(node, "reverse", 0),
    }),
];

/**
 * Rule that applies the operator to g. This is correct for linear operators that are their own inverse or mask
 * elements.
 */
const again: OperatorGradient = ({ node, inputs, g }, write) => [() => {
  const made = write.graph.add(node.opType, [g, ...inputs.slice(1)]);
  made.attribute.push(...node.attribute);
  return made.output[0]!;
}];

/** Rules of cumulative sums, triangles and reversed sequences. */
export const ORDERING: Readonly<Record<string, OperatorGradient>> = {
  CumSum: cumSum,
  ReverseSequence: again,
  Trilu: again,
};
