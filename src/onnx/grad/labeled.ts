import type { KnownLength } from "../infer/length.ts";
import type { GradientWriter } from "./gradient_writer.ts";

/** A value, and what its axes are called. */
export interface Labeled {
  readonly name: string;
  readonly labels: readonly string[];
  /** How long each axis is, as far as is known. */
  readonly lengths: readonly KnownLength[];
}

/** An axis of a value. */
export interface Axis {
  readonly of: string;
  readonly axis: number;
  readonly length: KnownLength;
  /** The length is this part of that along the axis; 1 where there is none. */
  readonly divisor?: number;
}

/** A value with labels for its axes, of which there must be as many. */
export function labeled(
  write: GradientWriter,
  name: string,
  labels: readonly string[],
  lengths: readonly KnownLength[] = write.lengthsOf(name),
): Labeled {
  return { name, labels, lengths };
}

/** How long the axis of this label is; `undefined` where there is none. */
export function lengthOf({ labels, lengths }: Labeled, label: string): KnownLength | undefined {
  return lengths[labels.indexOf(label)];
}

/** With its axes in this order, which has all of them. */
export function permuted(write: GradientWriter, x: Labeled, labels: readonly string[]): Labeled {
  const order = labels.map((label) => x.labels.indexOf(label));
  const lengths = order.map((axis) => x.lengths[axis]!);
  return { name: write.transpose(x.name, order), labels, lengths };
}

/** Summed over all axes but these. */
export function summed(write: GradientWriter, x: Labeled, kept: readonly string[]): Labeled {
  const axes = x.labels.flatMap((label, axis) => kept.includes(label) ? [] : [axis]);
  return without(x, axes, write.reduceSum(x.name, axes));
}

/** Without the axes of some labels, which have length 1. */
export function squeezed(write: GradientWriter, x: Labeled, gone: readonly string[]): Labeled {
  const axes = x.labels.flatMap((label, axis) => gone.includes(label) ? [axis] : []);
  return without(x, axes, write.squeeze(x.name, axes));
}

function without(x: Labeled, axes: readonly number[], name: string): Labeled {
  if (axes.length === 0) return x;
  const stays = (_: unknown, axis: number) => !axes.includes(axis);
  return { name, labels: x.labels.filter(stays), lengths: x.lengths.filter(stays) };
}

/** With its axes in this order, and axes of length 1 for the labels that it does not have. */
export function aligned(write: GradientWriter, x: Labeled, labels: readonly string[]): string {
  const own = labels.filter((label) => x.labels.includes(label));
  const missing = labels.flatMap((label, axis) => own.includes(label) ? [] : [axis]);
  const { name } = permuted(write, x, own);
  // Those missing in front are there by broadcasting.
  return missing.some((axis, i) => axis !== i) ? write.unsqueeze(name, missing) : name;
}

/** A matrix: the axes before this one are its rows, the others its columns. */
export function flattened(write: GradientWriter, { name, labels }: Labeled, axis: number): string {
  return labels.length === 2 && axis === 1 ? name : write.make("Flatten", [name], { axis });
}

/** A value in a shape of which each length is the product of those of some axes, of values that may be others. */
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
  // Lengths may be 0, beside which −1 is refused.
  const parts = groups.map((group, i) =>
    lengths[i] === undefined ? countOf(write, group) : write.ints([lengths[i]])
  );
  const shape = write.make("Concat", parts, { axis: 0 });
  return write.make("Reshape", [name, shape], { allowzero: 1 });
}

/** How many elements there are along some axes together, as a list of one. */
export function countOf(write: GradientWriter, axes: readonly Axis[]): string {
  return axes
    .map(({ of, axis, length, divisor = 1 }) => {
      if (typeof length === "number") return write.ints([length]);
      const along = write.lengthOf(of, axis);
      return divisor === 1 ? along : write.make("Div", [along, write.ints([divisor])]);
    })
    .reduce((count, length) => write.make("Mul", [count, length]));
}

/** The axes of some labels, in the first of some values that has each: where its length can be read. */
export function axesOf(values: readonly Labeled[], labels: readonly string[]): Axis[] {
  return labels.map((label) => {
    const { name, labels: own, lengths } = values.find((value) => value.labels.includes(label))!;
    const axis = own.indexOf(label);
    return { of: name, axis, length: lengths[axis]! };
  });
}
