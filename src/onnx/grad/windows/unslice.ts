import { type KnownLength, multiplyLengths, subtractLengths } from "../../infer/length.ts";
import type { GradientWriter } from "../gradient_writer.ts";
import type { Placed } from "../rule.ts";
import { reshapeTo, shapeOfParts, type ShapePart } from "../shape_of_parts.ts";

/** Slice along one axis: every `step`-th element from a start. */
export interface Cut {
  readonly axis: number;
  /**
   * First position: a number, or the name of an int64 tensor with one element. Negative positions count from the end.
   */
  readonly start: number | { readonly value: string };
  /** Step of the slice, which may be negative but not 0. */
  readonly step: number;
}

/** Numbers of zeros to add before and after the elements along an axis. Negative numbers remove elements. */
interface Around {
  readonly before: ShapePart;
  readonly behind: ShapePart;
}

/** Number that is larger than the length of any axis. */
const FAR = 2 ** 31;

/**
 * Adds nodes that put a slice back at its position in the shape of the original value, with zeros elsewhere, and
 * returns the name of the result.
 *
 * @param like value with the shape of the slice; more of its lengths may be known
 */
export function unslice(
  write: GradientWriter,
  part: string,
  whole: string,
  cuts: readonly Cut[],
  like: string = part,
): string {
  let x = turnedRound(write, part, cuts.filter(({ step }) => step < 0).map(({ axis }) => axis));
  for (const { axis, step } of cuts) x = spaced(write, x, axis, Math.abs(step));
  const arounds = cuts.map((cut) =>
    knownAround(write, like, whole, cut) ?? computedAround(write, like, whole, cut)
  );
  if (arounds.every(({ before, behind }) => before === 0 && behind === 0)) return x;
  return padded(write, x, cuts.map(({ axis }) => axis), arounds);
}

/**
 * Returns the axis, start and length of a slice that is contiguous along one axis and complete along the others;
 * `undefined` for other slices, or if the start is unknown.
 */
export function placeOfCut(
  write: GradientWriter,
  part: string,
  whole: string,
  cuts: readonly Cut[],
): Omit<Placed, "part"> | undefined {
  let place: Omit<Placed, "part"> | undefined;
  for (const cut of cuts) {
    const around = knownAround(write, part, whole, cut), { axis } = cut;
    if (around === undefined || cut.step !== 1) return undefined;
    if (around.before === 0 && around.behind === 0) continue;
    const length = write.facts.of(part).shape?.[axis];
    if (place !== undefined || typeof length !== "number") return undefined;
    place = { axis, start: around.before, length };
  }
  return place;
}

/**
 * Adds a Pad along some axes, and returns the name of the result. If all counts are known, they become one constant
 * for all axes, and the input `axes` is omitted.
 */
function padded(
  write: GradientWriter,
  x: string,
  axes: readonly number[],
  arounds: readonly Around[],
): string {
  const sides = [arounds.map(({ before }) => before), arounds.map(({ behind }) => behind)];
  if (!sides.flat().every((part) => typeof part === "number")) {
    return write.make("Pad", [x, shapeOfParts(write, sides.flat()), "", write.ints(axes)]);
  }
  const every = sides.flatMap((side) => {
    const all = new Array<number>(write.rankOf(x)).fill(0);
    for (const [i, axis] of axes.entries()) all[axis] = side[i] as number;
    return all;
  });
  return write.make("Pad", [x, write.ints(every)]);
}

/** Adds a Slice that reverses x along some axes, and returns the name of the result. */
function turnedRound(write: GradientWriter, x: string, axes: readonly number[]): string {
  if (axes.length === 0) return x;
  const each = (value: number) => write.ints(axes.map(() => value));
  return write.make("Slice", [x, each(-1), each(-FAR), write.ints(axes), each(-1)]);
}

/**
 * Adds nodes that insert zeros after each element along an axis, so that every `step`-th element is an element of x.
 * Returns the name of the result.
 */
function spaced(write: GradientWriter, x: string, axis: number, step: number): string {
  if (step === 1) return x;
  const parts = write.lengthsOf(x).map((_, i): ShapePart => ({ of: x, axis: i }));
  const pads = new Array<number>(2 * parts.length + 2).fill(0);
  pads[pads.length - parts.length + axis] = step - 1;
  const apart = write.make("Pad", [write.unsqueeze(x, [axis + 1]), write.ints(pads)]);
  const length = write.lengthsOf(x)[axis];
  const whole = typeof length === "number"
    ? length * step
    : { value: write.make("Mul", [write.lengthOf(x, axis), step]) };
  return reshapeTo(write, apart, parts.with(axis, whole));
}

/** Returns the number of zeros before and after the slice; `undefined` if it is known only at run time. */
function knownAround(
  { facts }: GradientWriter,
  part: string,
  whole: string,
  { axis, start, step }: Cut,
): { readonly before: number; readonly behind: number } | undefined {
  const own = facts.of(part).shape?.[axis], length = facts.of(whole).shape?.[axis];
  if (own === undefined || length === undefined) return undefined;
  const rest = subtractLengths(length, multiplyLengths(own, Math.abs(step)));
  // With larger steps, a rest of 0 does not mean this: zeros may precede the first element.
  if (rest === 0 && Math.abs(step) === 1) return { before: 0, behind: 0 };
  if (typeof rest !== "number" || typeof start !== "number") return undefined;
  const before = firstPlace(own, length, { start, step }, rest);
  return before === undefined ? undefined : { before, behind: rest - before };
}

/** Returns the smallest position of an element of the slice; `undefined` if it is known only at run time. */
function firstPlace(
  own: KnownLength,
  length: KnownLength,
  { start, step }: { readonly start: number; readonly step: number },
  rest: number,
): number | undefined {
  if (typeof length === "number") {
    if (own === 0) return 0;
    const from = start < 0 ? start + length : start;
    if (step > 0) return Math.min(Math.max(from, 0), length);
    return Math.min(from, length - 1) + (Number(own) - 1) * step;
  }
  return step === 1 && start >= 0 ? Math.min(start, rest) : undefined;
}

/** Adds nodes that compute the number of zeros before and after the slice at run time. */
function computedAround(
  write: GradientWriter,
  part: string,
  whole: string,
  { axis, start, step }: Cut,
): Around {
  const length = write.lengthOf(whole, axis), by = Math.abs(step);
  const own = write.mul(write.lengthOf(part, axis), by);
  let first = fromStart(write, start, length);
  if (step < 0) {
    const last = write.make("Min", [first, write.sub(length, 1)]);
    first = write.sub(last, write.sub(own, by));
  }
  const before = write.make("Max", [write.make("Min", [first, length]), 0]);
  return {
    before: { value: before },
    behind: { value: write.sub(write.sub(length, before), own) },
  };
}

/** Returns the name of a position that counts from the start of an axis of the given length. */
function fromStart(write: GradientWriter, start: Cut["start"], length: string): string {
  if (typeof start === "number") {
    return start < 0 ? write.make("Add", [length, write.ints([start])]) : write.ints([start]);
  }
  const { value } = start;
  const isBehind = write.make("Less", [value, 0]);
  return write.where(isBehind, write.make("Add", [value, length]), value);
}
