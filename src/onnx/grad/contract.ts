import type { GradientWriter } from "./gradient_writer.ts";
import {
  aligned,
  axesOf,
  flattened,
  type Labelled,
  labelled,
  lengthOf,
  permuted,
  regrouped,
  squeezed,
  summed,
} from "./labelled.ts";

type Labels = readonly string[];

/**
 * The product of two values, summed over the labels that do not come out: one MatMul or Gemm wherever there is
 * something to sum, instead of a product that is summed afterwards.
 *
 * Axes of length 1 are repeated along those of the same label. Labels that neither value has do not come out.
 *
 * @param output labels of what comes out, in order
 */
export function contract(
  write: GradientWriter,
  x: Labelled,
  y: Labelled,
  output: Labels,
): Labelled {
  const [a, b] = [unrepeated(write, x, y), unrepeated(write, y, x)];
  const left = summed(write, a, [...b.labels, ...output]);
  const right = summed(write, b, [...a.labels, ...output]);
  const made = output.filter((l) => left.labels.includes(l) || right.labels.includes(l));
  const both = left.labels.filter((l) => right.labels.includes(l) && !output.includes(l));
  // Where lengths may differ, one of them may be 1: MatMul repeats it only along axes that it does not sum over.
  const inner = both.filter((l) => lengthOf(left, l) === lengthOf(right, l));
  const late = both.filter((l) => !inner.includes(l));
  const product = productOver(write, left, right, { order: [...late, ...made], inner });
  return permuted(write, summed(write, product, made), made);
}

/** Without the axes of length 1 that the other value has with another length. */
function unrepeated(write: GradientWriter, x: Labelled, y: Labelled): Labelled {
  const gone = x.labels.filter((label) => {
    const other = lengthOf(y, label);
    return lengthOf(x, label) === 1 && other !== undefined && other !== 1;
  });
  return squeezed(write, x, gone);
}

/** What comes out of a product, and what is summed. */
interface Sum {
  /** Labels that come out, in the order that is best. */
  readonly order: Labels;
  /** Labels that both have, and that do not come out. */
  readonly inner: Labels;
}

function productOver(write: GradientWriter, x: Labelled, y: Labelled, sum: Sum): Labelled {
  const { order, inner } = sum;
  const single = order.filter((l) => x.labels.includes(l) !== y.labels.includes(l));
  if (single.length === 0) {
    return summed(write, elementwise(write, x, y, [...order, ...inner]), order);
  }
  if (inner.every((label) => lengthOf(x, label) === 1)) {
    return elementwise(write, standIn(write, x, y, sum), standIn(write, y, x, sum), order);
  }
  return x.labels.includes(single[0]!) ? matrices(write, x, y, sum) : matrices(write, y, x, sum);
}

/** Lets axes of length 1 that are to go stand for labels that only the other value has. */
function standIn(write: GradientWriter, x: Labelled, y: Labelled, { order, inner }: Sum): Labelled {
  const missing = order.filter((l) => y.labels.includes(l) && !x.labels.includes(l));
  const labels = x.labels.map((l) => inner.includes(l) ? missing.shift() ?? l : l);
  return squeezed(write, { ...x, labels }, inner);
}

function elementwise(write: GradientWriter, x: Labelled, y: Labelled, order: Labels): Labelled {
  const name = write.mul(aligned(write, x, order), aligned(write, y, order));
  const missing = order.length - write.rankOf(name);
  return labelled(write, missing > 0 ? write.unsqueeze(name, firstAxes(missing)) : name, order);
}

function firstAxes(count: number): number[] {
  return Array.from({ length: count }, (_, axis) => axis);
}

/** Products of matrices: rows are what only x has, columns what only y has. */
function matrices(
  write: GradientWriter,
  x: Labelled,
  y: Labelled,
  { order, inner }: Sum,
): Labelled {
  const stack = order.filter((l) => x.labels.includes(l) && y.labels.includes(l));
  const rows = order.filter((l) => x.labels.includes(l) && !stack.includes(l));
  const columns = order.filter((l) => y.labels.includes(l) && !stack.includes(l));
  const parts = { stack, rows, columns, inner: innerOrder(x, y, rows, inner) };
  return stack.length === 0 && rows.length < 2 && columns.length < 2
    ? oneMatrix(write, x, y, parts)
    : stacked(write, x, y, parts);
}

/** Labels by their place in a product of matrices. */
interface Parts {
  readonly stack: Labels;
  readonly rows: Labels;
  readonly columns: Labels;
  readonly inner: Labels;
}

/** What is summed, in the order in which it lies in the value that need not be transposed. */
function innerOrder(x: Labelled, y: Labelled, rows: Labels, inner: Labels): Labels {
  const [own, other] = [x, y].map(({ labels }) => labels.filter((l) => inner.includes(l)));
  return isSplit(x, [...rows, ...own!]) || isSplit(x, [...own!, ...rows]) ? own! : other!;
}

function isSplit({ labels }: Labelled, parts: Labels): boolean {
  return labels.length === parts.length && labels.every((label, axis) => label === parts[axis]);
}

/** One product of two matrices, which Gemm takes as they lie. */
function oneMatrix(write: GradientWriter, x: Labelled, y: Labelled, parts: Parts): Labelled {
  const { rows, columns, inner } = parts;
  const isTurned = isSplit(x, [...inner, ...rows]);
  const left = isTurned
    ? flattened(write, x, inner.length)
    : flattened(write, permuted(write, x, [...rows, ...inner]), rows.length);
  const isStraight = isSplit(y, [...inner, ...columns]);
  const right = isStraight
    ? flattened(write, y, inner.length)
    : flattened(write, permuted(write, y, [...columns, ...inner]), columns.length);
  const product = write.make("Gemm", [left, right], {
    ...isTurned ? { transA: 1 } : {},
    ...isStraight ? {} : { transB: 1 },
  });
  const gone = [...rows.length === 0 ? [0] : [], ...columns.length === 0 ? [1] : []];
  return labelled(write, write.squeeze(product, gone), [...rows, ...columns]);
}

/** A stack of products, or one with rows along several axes. */
function stacked(write: GradientWriter, x: Labelled, y: Labelled, parts: Parts): Labelled {
  const { stack, rows, columns, inner } = parts;
  // MatMul itself takes rows along several axes where nothing is stacked.
  const isApart = stack.length === 0 && columns.length === 1;
  const each = stack.map((label) => [label]);
  const rowGroups = isApart ? rows.map((row) => [row]) : [rows];
  const product = write.matMul(
    joined(write, permuted(write, x, [...own(x, stack), ...rows, ...inner]), [
      ...each,
      ...rowGroups,
      inner,
    ]),
    joined(write, permuted(write, y, [...own(y, stack), ...inner, ...columns]), [
      ...each,
      inner,
      columns,
    ]),
  );
  return split(write, product, [...each, ...rowGroups, columns], [x, y]);
}

function own({ labels }: Labelled, stack: Labels): Labels {
  return stack.filter((label) => labels.includes(label));
}

/** Each group of neighbouring axes as one axis; of no axes: one of length 1. */
function joined(write: GradientWriter, x: Labelled, groups: readonly Labels[]): string {
  if (groups.every((group) => group.length === 1)) return x.name;
  if (groups.every((group) => group.length < 2)) return write.unsqueeze(x.name, emptyAmong(groups));
  if (groups.length === 2) return flattened(write, x, groups[0]!.length);
  return regrouped(write, x.name, groups.map((group) => axesOf([x], group)));
}

/** The other way round: axes that were joined apart again. */
function split(
  write: GradientWriter,
  product: string,
  groups: readonly Labels[],
  values: readonly Labelled[],
): Labelled {
  const labels = groups.flat();
  if (groups.every((group) => group.length === 1)) return labelled(write, product, labels);
  if (groups.every((group) => group.length < 2)) {
    return labelled(write, write.squeeze(product, emptyAmong(groups)), labels);
  }
  // Stacks come first, as they are in the product.
  const now = groups.findIndex((group) => group.length !== 1);
  const stack = labelled(write, product, groups.slice(0, now).flat(), write.lengthsOf(product));
  const axes = labels.map((label) => axesOf([stack, ...values], [label]));
  return labelled(write, regrouped(write, product, axes), labels);
}

function emptyAmong(groups: readonly Labels[]): number[] {
  return groups.flatMap((group, axis) => group.length === 0 ? [axis] : []);
}
