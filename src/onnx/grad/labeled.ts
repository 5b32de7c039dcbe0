import type { KnownLength } from "../infer/length.ts";
import type { GradientWriter } from "./gradient_writer.ts";

/** A value whose axes have labels. */
export interface Labeled {
  readonly name: string;
  readonly labels: readonly string[];
  /** Length of each axis, as far as it is known. */
  readonly lengths: readonly KnownLength[];
}

/** An axis of the value `of`, with its length. */
export interface Axis {
  readonly of: string;
  readonly axis: number;
  readonly length: KnownLength;
  /**
   * Factor by which the axis of `of` is longer than `length`. A length that is computed at run time is divided by it.
   *
   * @default 1
   */
  readonly divisor?: number;
}

/** Returns a value with labels for its axes, in the order of the axes. */
export function labeled(
  write: GradientWriter,
  name: string,
  labels: readonly string[],
  lengths: readonly KnownLength[] = write.lengthsOf(name),
): Labeled {
  return { name, labels, lengths };
}

/** Returns the length of the axis with a label; `undefined` if no axis has it. */
export function lengthOf({ labels, lengths }: Labeled, label: string): KnownLength | undefined {
  return lengths[labels.indexOf(label)];
}

/** Permutes the axes to the order of `labels`, which must contain the label of each axis. */
export function permuted(write: GradientWriter, x: Labeled, labels: readonly string[]): Labeled {
  const order = labels.map((label) => x.labels.indexOf(label));
  const lengths = order.map((axis) => x.lengths[axis]!);
  return { name: write.transpose(x.name, order), labels, lengths };
}

/** Adds a sum over all axes whose label is not in `kept`. */
export function summed(write: GradientWriter, x: Labeled, kept: readonly string[]): Labeled {
  const axes = x.labels.flatMap((label, axis) => kept.includes(label) ? [] : [axis]);
  return without(x, axes, write.reduceSum(x.name, axes));
}

/** Removes the axes with the labels in `gone`, which must have length 1. */
export function squeezed(write: GradientWriter, x: Labeled, gone: readonly string[]): Labeled {
  const axes = x.labels.flatMap((label, axis) => gone.includes(label) ? [axis] : []);
  return without(x, axes, write.squeeze(x.name, axes));
}

function without(x: Labeled, axes: readonly number[], name: string): Labeled {
  if (axes.length === 0) return x;
  const stays = (_: unknown, axis: number) => !axes.includes(axis);
  return { name, labels: x.labels.filter(stays), lengths: x.lengths.filter(stays) };
}

/**
 * Adds nodes that permute the axes of x to the order of `labels` and insert axes of length 1 for labels that x does
 * not have. Returns the name of the result.
 */
export function aligned(write: GradientWriter, x: Labeled, labels: readonly string[]): string {
  const own = labels.filter((label) => x.labels.includes(label));
  const missing = labels.flatMap((label, axis) => own.includes(label) ? [] : [axis]);
  const { name } = permuted(write, x, own);
  // Leading axes need not be inserted, because broadcasting adds them.
  return missing.some((axis, i) => axis !== i) ? write.unsqueeze(name, missing) : name;
}

/**
 * Adds a Flatten of a value to a matrix, and returns the name of the matrix. The axes before `axis` become its rows,
 * the others its columns.
 */
export function flattened(write: GradientWriter, { name, labels }: Labeled, axis: number): string {
  return labels.length === 2 && axis === 1 ? name : write.make("Flatten", [name], { axis });
}

/**
 * Adds a Reshape of a value. Each new length is the product of the lengths of one group of axes, possibly of other
 * values. Returns the name of the result.
 */
export function regrouped(
  write: GradientWriter,
  name: string,
  groups: readonly (readonly Axis[])[],
): string {
  const lengths = groups.map((group) => {
    const product = group.reduce((all, { length }) => all * Number(length), 1);
    return Number.isNaN(product) ? undefined : product;
  });
  const open = lengths.filter((length) => length === undefined).length;
  if (open === 0 || (open === 1 && !lengths.includes(0))) {
    const shape = write.ints(lengths.map((length) => length ?? -1));
    return write.make("Reshape", [name, shape], lengths.includes(0) ? { allowzero: 1 } : {});
  }
  // Avoid −1, which Reshape rejects beside a length of 0.
  const parts = groups.map((group, i) =>
    lengths[i] === undefined ? countOf(write, group) : write.ints([lengths[i]])
  );
  const shape = write.make("Concat", parts, { axis: 0 });
  return write.make("Reshape", [name, shape], { allowzero: 1 });
}

/**
 * Adds nodes for the product of the lengths of some axes, and returns the name of the result, an int64 tensor with
 * one element.
 */
export function countOf(write: GradientWriter, axes: readonly Axis[]): string {
  return axes
    .map(({ of, axis, length, divisor = 1 }) => {
      if (typeof length === "number") return write.ints([length]);
      const along = write.lengthOf(of, axis);
      return divisor === 1 ? along : write.make("Div", [along, write.ints([divisor])]);
    })
    .reduce((count, length) => write.make("Mul", [count, length]));
}

/** Returns one axis for each label, taken from the first value that has an axis with this label. */
export function axesOf(values: readonly Labeled[], labels: readonly string[]): Axis[] {
  return labels.map((label) => {
    const { name, labels: own, lengths } = values.find((value) => value.labels.includes(label))!;
    const axis = own.indexOf(label);
    return { of: name, axis, length: lengths[axis]! };
  });
}
