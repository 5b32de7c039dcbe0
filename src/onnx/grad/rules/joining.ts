import { intAttribute } from "../../codec/attributes.ts";
import { numbersOf } from "../../infer/fact.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import { unslice } from "../windows/unslice.ts";
import type { OperatorGradient, Share, Step } from "../rule.ts";
import { shapeOfParts } from "../shape_of_parts.ts";

/** Returns the axis of a node, counted from the start. */
function axisOf({ node, a }: Step, write: GradientWriter): number {
  const axis = intAttribute(node, "axis", 0);
  return axis < 0 ? axis + write.rankOf(a) : axis;
}

/** Rule of Concat. Each input gets its range of g: by one Split, or by a Slice if only one input needs a gradient. */
const concat: OperatorGradient = (step, write) => {
  const { inputs, g } = step;
  if (inputs.length === 1) return [g];
  const number = write.fillOf(g);
  if (number !== undefined) return inputs.map((input) => () => write.fill(number, input));
  const axis = axisOf(step, write);
  const wanted = inputs.map((_, i) => i).filter((i) => step.wants(i));
  const single = wanted.length === 1 ? sliceOf(step, write, axis, wanted[0]!) : undefined;
  if (single !== undefined) return inputs.map((_, i) => i === wanted[0] ? single : undefined);
  let parts: readonly string[] | undefined;
  return inputs.map((_, i) => () => (parts ??= partsOf(step, write, axis))[i]!);
};

function partsOf({ inputs, g }: Step, write: GradientWriter, axis: number): readonly string[] {
  const lengths = shapeOfParts(write, inputs.map((of) => ({ of, axis })));
  const attributes = { axis }, outputs = inputs.length;
  return write.graph.add("Split", [g, lengths], { attributes, outputs }).output;
}

/** Returns the share of the input at index `wanted`, a Slice of g; `undefined` if its position is unknown. */
function sliceOf(
  { inputs, g }: Step,
  write: GradientWriter,
  axis: number,
  wanted: number,
): Share | undefined {
  const lengths = inputs.map((input) => write.lengthsOf(input)[axis]!);
  const before = sumOf(lengths.slice(0, wanted)), behind = sumOf(lengths.slice(wanted + 1));
  const bounds = before !== undefined
    ? boundsFromStart(before, lengths[wanted]!, behind)
    : boundsFromEnd(lengths[wanted]!, behind);
  if (bounds === undefined) return undefined;
  const [start, end] = bounds;
  return () => write.make("Slice", [g, write.ints([start]), write.ints([end]), write.ints([axis])]);
}

/** End of a Slice that reaches the end of an axis of any length. */
const END = 2 ** 31 - 1;

function boundsFromStart(
  start: number,
  length: number | string,
  behind: number | undefined,
): [number, number] | undefined {
  if (typeof length === "number") return [start, start + length];
  return behind === undefined ? undefined : [start, behind === 0 ? END : -behind];
}

function boundsFromEnd(
  length: number | string,
  behind: number | undefined,
): [number, number] | undefined {
  if (behind === undefined || typeof length === "string" || length === 0) return undefined;
  return [-behind - length, behind === 0 ? END : -behind];
}

/** Returns the sum of lengths; `undefined` if one of them is not a number. */
function sumOf(lengths: readonly (number | string)[]): number | undefined {
  let sum = 0;
  for (const length of lengths) {
    if (typeof length === "string") return undefined;
    sum += length;
  }
  return sum;
}

/** Rule of Split. Concatenates the gradients of the outputs, with zeros for outputs that have no gradient. */
const split: OperatorGradient = (step, write) => [() => {
  const { gradients, outputs, a } = step, axis = axisOf(step, write);
  const single = onlyOne(step, write, axis);
  if (single !== undefined) return single;
  if (outputs.length === 1) return gradients[0]!;
  const numbers = new Set(gradients.map((g) => g === undefined ? 0 : write.fillOf(g)));
  const [number] = numbers;
  if (numbers.size === 1 && number !== undefined) return write.fill(number, a);
  let zeros: readonly string[] | undefined;
  const parts = outputs.map((output, i) =>
    gradients[i] ?? (output === "" ? (zeros ??= zeroParts(step, write))[i]! : write.zeros(output))
  );
  return write.make("Concat", parts, { axis });
}];

/**
 * Adds a Split of a tensor of zeros, and returns the names of its outputs. They give the shapes of omitted outputs,
 * which have no name.
 */
function zeroParts({ node, inputs, a }: Step, write: GradientWriter): readonly string[] {
  const outputs = node.output.length,
    zeros = write.graph.add(
      "Split",
      [write.zeros(a), ...inputs.slice(1)],
      { outputs },
    );
  zeros.attribute.push(...node.attribute);
  return zeros.output;
}

/**
 * Adds the gradient of the input if a single output has a gradient and its position is known, and returns its name;
 * otherwise returns `undefined`.
 */
function onlyOne(
  { node, gradients, outputs, inputs, a }: Step,
  write: GradientWriter,
  axis: number,
): string | undefined {
  const [i = 0, other] = gradients.flatMap((g, i) => g === undefined ? [] : [i]);
  if (outputs.length === 1 || other !== undefined) return undefined;
  const { facts } = write, length = facts.of(a).shape?.[axis];
  const count = intAttribute(node, "num_outputs", outputs.length);
  const given = inputs[1] ?? "";
  const lengths = given !== ""
    ? numbersOf(facts.of(given))
    : typeof length === "number"
    ? outputs.map(() => Math.ceil(length / count))
    : undefined;
  if (lengths === undefined) return undefined;
  const start = lengths.slice(0, i).reduce((sum, each) => sum + each, 0);
  return unslice(write, gradients[i]!, a, [{ axis, start, step: 1 }]);
}

/** Rules of Concat and Split. */
export const JOINING: Readonly<Record<string, OperatorGradient>> = { Concat: concat, Split: split };
