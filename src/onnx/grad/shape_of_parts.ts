import type { Attributes } from "../codec/attributes.ts";
import type { GraphFacts } from "../infer/facts.ts";

/** Members of a GradientWriter that compose shapes. */
export interface ShapeWriter {
  /** Types and shapes of values. */
  readonly facts: GraphFacts;
  /** Adds a list of integers. */
  ints(values: readonly number[]): string;
  /** Returns the length of one axis, in a list. */
  lengthOf(x: string, axis: number): string;
  /** Adds a node with one output. */
  make(op: string, inputs: readonly string[], attributes?: Attributes): string;
  /** Reshapes a value. */
  reshape(x: string, shape: string | readonly number[]): string;
}

/**
 * One length of a composed shape: a number, the length of an axis of a value, or a value with a list of one number
 * (int64).
 */
export type ShapePart =
  | number
  | { readonly of: string; readonly axis: number }
  | { readonly value: string };

/** Composes a shape (int64). It is a constant if all lengths are known. */
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

/** Reshapes x to a composed shape. Nothing is computed at run time if variable lengths follow from those of x. */
export function reshapeTo(write: ShapeWriter, x: string, parts: readonly ShapePart[]): string {
  const lengths = parts.map((part) => knownLength(write, part));
  const numbers = constantShape(write.facts.of(x).shape, lengths);
  return write.reshape(x, numbers ?? shapeOfParts(write, parts));
}

/**
 * Returns a constant shape if the variable lengths need not be computed: −1 for a single one, 0 for a length that x
 * has at the same position.
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

/** Returns the length of a part: a number or a name; `undefined` if unknown. */
function knownLength({ facts }: ShapeWriter, part: ShapePart): number | string | undefined {
  if (typeof part === "number") return part;
  if ("value" in part) return facts.of(part.value).values?.[0];
  return facts.of(part.of).shape?.[part.axis];
}

function valueOf(write: ShapeWriter, part: ShapePart): string {
  if (typeof part === "number") return write.ints([part]);
  return "value" in part ? part.value : write.lengthOf(part.of, part.axis);
}
