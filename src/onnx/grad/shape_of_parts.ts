import type { Attributes } from "../codec/attributes.ts";
import type { GraphFacts } from "../infer/facts.ts";

/** Methods of a GradientWriter that compose shapes. */
export interface ShapeWriter {
  /** Types and shapes of values. */
  readonly facts: GraphFacts;
  /** Returns the name of a constant int64 tensor with one axis. */
  ints(values: readonly number[]): string;
  /** Returns the name of the length of one axis, an int64 tensor with one element. */
  lengthOf(x: string, axis: number): string;
  /** Adds a node with one output, and returns the name of the output. */
  make(op: string, inputs: readonly string[], attributes?: Attributes): string;
  /**
   * Returns the name of x in the shape `shape`: a list of lengths, or the name of a value that contains the lengths.
   */
  reshape(x: string, shape: string | readonly number[]): string;
}

/**
 * One length of a composed shape: a number, the length of an axis of the value `of`, or the element of `value`, an
 * int64 tensor with one element.
 */
export type ShapePart =
  | number
  | { readonly of: string; readonly axis: number }
  | { readonly value: string };

/**
 * Adds nodes that compose a shape, and returns its name, an int64 tensor with one axis. It is a constant if all
 * lengths are known.
 */
export function shapeOfParts(write: ShapeWriter, parts: readonly ShapePart[]): string {
  const pieces: string[] = [];
  let numbers: number[] = [];
  const endNumbers = () => {
    if (numbers.length > 0) pieces.push(write.ints(numbers));
    numbers = [];
  };
  for (const part of parts) {
    const length = knownLength(write, part);
    if (typeof length === "number") {
      numbers.push(length);
    } else {
      endNumbers();
      pieces.push(valueOf(write, part));
    }
  }
  endNumbers();
  if (pieces.length === 0) return write.ints([]);
  return pieces.length === 1 ? pieces[0]! : write.make("Concat", pieces, { axis: 0 });
}

/**
 * Adds a Reshape of x to a composed shape, and returns the name of the result. No shape is computed at run time if
 * the variable lengths follow from those of x.
 */
export function reshapeTo(write: ShapeWriter, x: string, parts: readonly ShapePart[]): string {
  const lengths = parts.map((part) => knownLength(write, part));
  const numbers = constantShape(write.facts.of(x).shape, lengths);
  return write.reshape(x, numbers ?? shapeOfParts(write, parts));
}

/**
 * Returns lengths for a constant shape of Reshape: −1 replaces a single variable length, or 0 replaces each length
 * that `from` has at the same position. Returns `undefined` if lengths must be computed at run time.
 */
export function constantShape(
  from: readonly (number | string)[] | undefined,
  to: readonly (number | string | undefined)[],
): readonly number[] | undefined {
  const isNumber = (length: number | string | undefined) =>
    typeof length === "number" && length !== 0;
  if (to.filter((length) => !isNumber(length)).length <= 1 && !to.includes(0)) {
    return to.map((length) => typeof length === "number" ? length : -1);
  }
  const isKept = to.map((length, axis) => length !== undefined && from?.[axis] === length);
  if (!to.every((length, axis) => isKept[axis] || isNumber(length))) return undefined;
  return to.map((length, axis) => isKept[axis] ? 0 : length as number);
}

/** Returns the length that a part stands for: a number or a name; `undefined` if it is unknown. */
function knownLength({ facts }: ShapeWriter, part: ShapePart): number | string | undefined {
  if (typeof part === "number") return part;
  if ("value" in part) return facts.of(part.value).values?.[0];
  return facts.of(part.of).shape?.[part.axis];
}

function valueOf(write: ShapeWriter, part: ShapePart): string {
  if (typeof part === "number") return write.ints([part]);
  return "value" in part ? part.value : write.lengthOf(part.of, part.axis);
}
