import { textAttribute } from "../../codec/attributes.ts";
import { type EinsumEquation, einsumEquation } from "../../graph/einsum_equation.ts";
import { contract } from "../contract.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { type Labeled, labeled, permuted, summed } from "../labeled.ts";
import type { OperatorGradient, Share, Step } from "../rule.ts";

/**
 * Rule of Einsum. The gradient of each operand is the product of g and the other operands, summed to the operand's
 * labels. Labels that only this operand has were summed over, so the gradient is broadcast along them.
 */
const einsum: OperatorGradient = (step, write) => {
  const { inputs, y, g } = step;
  const { inputs: terms, output } = equationOf(step, write);
  const operands = terms.map((labels, i) => labeled(write, inputs[i]!, labels));
  // g has the shape of the output y, but more lengths of y may be known.
  const back = labeled(write, g, output, write.lengthsOf(y));
  return operands.map((operand, i): Share => () => {
    const others = operands.filter((_, j) => j !== i);
    return spread(write, productOf(write, [back, ...others], operand.labels), operand);
  });
};

/**
 * Returns the parsed equation of an Einsum. Throws a RangeError if it does not fit the inputs, or if a label occurs
 * twice in a term.
 */
function equationOf({ node, inputs }: Step, write: GradientWriter): EinsumEquation {
  const text = textAttribute(node, "equation", "");
  const equation = einsumEquation(text, inputs.map((name) => write.rankOf(name)));
  if (equation === undefined) throw refused("its equation must fit its inputs", text);
  if (equation.inputs.every((labels) => new Set(labels).size === labels.length)) return equation;
  throw refused("each label must occur once per term (take a diagonal with other operators)", text);
}

/** Adds nodes that multiply factors from left to right and sum over each label as soon as no later factor needs it. */
function productOf(
  write: GradientWriter,
  [first, ...others]: readonly Labeled[],
  output: readonly string[],
): Labeled {
  let product = first!;
  for (const [i, next] of others.entries()) {
    const later = new Set([...output, ...others.slice(i + 1).flatMap(({ labels }) => labels)]);
    const both = [...new Set([...product.labels, ...next.labels])];
    const isLast = i === others.length - 1;
    const kept = isLast ? output : both.filter((label) => later.has(label));
    product = contract(write, product, next, kept);
  }
  const made = output.filter((label) => product.labels.includes(label));
  return permuted(write, summed(write, product, made), made);
}

/** Adds nodes that broadcast x along the axes of `like` that x does not have, and returns the name of the result. */
function spread(write: GradientWriter, x: Labeled, like: Labeled): string {
  const missing = like.labels.flatMap((label, axis) => x.labels.includes(label) ? [] : [axis]);
  return missing.length === 0
    ? x.name
    : write.expandLike(write.unsqueeze(x.name, missing), like.name);
}

function refused(requirement: string, value: string): RangeError {
  return new RangeError(
    `Cannot differentiate an Einsum: ${requirement}; got ${JSON.stringify(value)}`,
  );
}

/** Rule of Einsum. */
export const EINSUM: Readonly<Record<string, OperatorGradient>> = { Einsum: einsum };
