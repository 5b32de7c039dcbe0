import type { GradientWriter } from "./gradient_writer.ts";
import {
  axesOf,
  type Axis,
  countOf,
  flattened,
  type Labeled,
  labeled,
  permuted,
  regrouped,
} from "./labeled.ts";

type Labels = readonly string[];

/** Labels of a product of two values that is summed over some axes. */
export interface Sum {
  /** Labels of the result, in the preferred order. */
  readonly order: Labels;
  /** Labels that both values have and the result lacks. */
  readonly inner: Labels;
}

/**
 * Adds nodes that compute a product as one matrix product or a stack of matrix products. Labels that only x has
 * become rows, and labels that only y has become columns; there must be at least one such label. The axes of the
 * result are in the order that needs no further transposition.
 */
export function matrixProduct(
  write: GradientWriter,
  x: Labeled,
  y: Labeled,
  { order, inner }: Sum,
): Labeled {
  const stack = order.filter((l) => x.labels.includes(l) && y.labels.includes(l));
  const rows = order.filter((l) => x.labels.includes(l) && !stack.includes(l));
  const columns = order.filter((l) => y.labels.includes(l) && !stack.includes(l));
  const parts = { stack, rows, columns, inner: innerOrder(x, y, rows, inner) };
  if (stack.length > 0) return stacked(write, x, y, parts);
  if (rows.length < 2 && columns.length < 2) return oneMatrix(write, x, y, parts);
  // One matrix times several can be computed as a stack, too. Its result is then already in order.
  const lead = columns.slice(0, -1);
  const isLed = rows.length < 2 && isSame(order, [...lead, ...rows, ...columns.slice(-1)]);
  return isLed
    ? stacked(write, x, y, { ...parts, stack: lead, columns: columns.slice(-1) })
    : stacked(write, x, y, parts);
}

/** Returns the summed labels in the order of x if x then needs no transposition, otherwise in the order of y. */
function innerOrder(x: Labeled, y: Labeled, rows: Labels, inner: Labels): Labels {
  const [own, other] = [x, y].map(({ labels }) => labels.filter((l) => inner.includes(l)));
  const lies = isSame(x.labels, [...rows, ...own!]) || isSame(x.labels, [...own!, ...rows]);
  return lies ? own! : other!;
}

function isSame(labels: Labels, others: Labels): boolean {
  return labels.length === others.length && labels.every((label, i) => label === others[i]);
}

/** Labels by their role in a matrix product. */
interface Parts {
  readonly stack: Labels;
  readonly rows: Labels;
  readonly columns: Labels;
  readonly inner: Labels;
}

/**
 * Adds nodes for one product of two matrices. Gemm can transpose its operands, so an operand whose summed axes come
 * first or last is not permuted.
 */
function oneMatrix(write: GradientWriter, x: Labeled, y: Labeled, parts: Parts): Labeled {
  const { rows, columns, inner } = parts;
  const isTurned = isSame(x.labels, [...inner, ...rows]);
  const left = isTurned
    ? flattened(write, x, inner.length)
    : flattened(write, permuted(write, x, [...rows, ...inner]), rows.length);
  const isStraight = isSame(y.labels, [...inner, ...columns]);
  const right = isStraight
    ? flattened(write, y, inner.length)
    : flattened(write, permuted(write, y, [...columns, ...inner]), columns.length);
  const product = write.make("Gemm", [left, right], {
    ...isTurned ? { transA: 1 } : {},
    ...isStraight ? {} : { transB: 1 },
  });
  const gone = [...rows.length === 0 ? [0] : [], ...columns.length === 0 ? [1] : []];
  return labeled(write, write.squeeze(product, gone), [...rows, ...columns]);
}

/** Adds nodes for a stack of matrix products, or for one product with several row axes. */
function stacked(write: GradientWriter, x: Labeled, y: Labeled, parts: Parts): Labeled {
  const { stack, rows, columns, inner } = parts;
  // Without a stack, MatMul itself accepts several row axes.
  const isApart = stack.length === 0 && columns.length === 1;
  const rowGroups = isApart ? rows.map((row) => [row]) : [rows];
  const [ownX, ownY] = [own(x, stack), own(y, stack)];
  const product = filled(
    write,
    write.matMul(
      joined(write, permuted(write, x, [...ownX, ...rows, ...inner]), [
        ...apart(ownX),
        ...rowGroups,
        inner,
      ]),
      joined(write, permuted(write, y, [...ownY, ...inner, ...columns]), [
        ...apart(ownY),
        inner,
        columns,
      ]),
    ),
    axesOf([x], inner),
  );
  return split(write, product, [...apart(stack), ...rowGroups, columns], [x, y]);
}

/**
 * Adds nodes that replace the product by zeros if the summed axes are empty, and returns the name of the result. In
 * that case onnxruntime 1.30 fills only the first product of a stack, and leaves the others uninitialized.
 */
function filled(write: GradientWriter, product: string, inner: readonly Axis[]): string {
  if (write.rankOf(product) === 2 || inner.every(({ length }) => Number(length) > 0)) {
    return product;
  }
  const isEmpty = write.make("Equal", [countOf(write, inner), write.ints([0])]);
  return write.where(isEmpty, write.number(0, product), product);
}

function apart(labels: Labels): Labels[] {
  return labels.map((label) => [label]);
}

function own({ labels }: Labeled, stack: Labels): Labels {
  return stack.filter((label) => labels.includes(label));
}

/**
 * Adds a node that joins each group of adjacent axes to one axis, and returns the name of the result. An empty group
 * becomes an axis of length 1.
 */
function joined(write: GradientWriter, x: Labeled, groups: readonly Labels[]): string {
  if (groups.every((group) => group.length === 1)) return x.name;
  if (groups.every((group) => group.length < 2)) return write.unsqueeze(x.name, emptyAmong(groups));
  if (groups.length === 2) return flattened(write, x, groups[0]!.length);
  return regrouped(write, x.name, groups.map((group) => axesOf([x], group)));
}

/** Adds a node that splits the axes of a product into the axes that `joined` has joined. */
function split(
  write: GradientWriter,
  product: string,
  groups: readonly Labels[],
  values: readonly Labeled[],
): Labeled {
  const labels = groups.flat();
  if (groups.every((group) => group.length === 1)) return labeled(write, product, labels);
  if (groups.every((group) => group.length < 2)) {
    return labeled(write, write.squeeze(product, emptyAmong(groups)), labels);
  }
  // The axes of the stack come first, as in the product.
  const now = groups.findIndex((group) => group.length !== 1);
  const stack = labeled(write, product, groups.slice(0, now).flat(), write.lengthsOf(product));
  const axes = labels.map((label) => axesOf([stack, ...values], [label]));
  return labeled(write, regrouped(write, product, axes), labels);
}

function emptyAmong(groups: readonly Labels[]): number[] {
  return groups.flatMap((group, axis) => group.length === 0 ? [axis] : []);
}
