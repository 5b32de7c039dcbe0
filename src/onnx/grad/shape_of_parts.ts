import type { Attributes } from "../codec/attributes.ts";
import type { Facts } from "../infer/facts.ts";

/** What of a gradient's writer is needed to put shapes together. */
export interface ShapeWriter {
  /** What is known of its values. */
  readonly facts: Facts;
  /** A list of whole numbers. */
  ints(values: readonly number[]): string;
  /** The length along one axis, as a list of one. */
  lengthOf(x: string, axis: number): string;
  /** Any operator with one output. */
  make(op: string, inputs: readonly string[], attributes?: Attributes): string;
  /** In another shape. */
  reshape(x: string, shape: string | readonly number[]): string;
}

/**
 * A length of a shape that is put together: a number, the length of an axis of a value, or a value that is a list of
 * one (int64).
 */
export type ShapePart =
  | number
  | { readonly of: string; readonly axis: number }
  | { readonly value: string };

/** A shape put together (int64): a constant where all of it is known. */
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

/** x in a shape put together, with nothing to compute where the lengths that are free follow from those of x. */
export function reshapeTo(write: ShapeWriter, x: string, parts: readonly ShapePart[]): string {
  const lengths = parts.map((part) => knownLength(write, part));
  const numbers = constantShape(write.facts.of(x).shape, lengths);
  return write.reshape(x, numbers ?? shapeOfParts(write, parts));
}

/**
 * What to reshape a value to in numbers, where the lengths that are free need not be computed: −1 for a single one, 0
 * for those that it has at the same place.
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

/** The length that a part is: a number or a name; `undefined` where nothing is known. */
function knownLength({ facts }: ShapeWriter, part: ShapePart): number | string | undefined {
  if (typeof part === "number") return part;
  if ("value" in part) return facts.of(part.value).values?.[0];
  return facts.of(part.of).shape?.[part.axis];
}

function valueOf(write: ShapeWriter, part: ShapePart): string {
  if (typeof part === "number") return write.ints([part]);
  return "value" in part ? part.value : write.lengthOf(part.of, part.axis);
}
