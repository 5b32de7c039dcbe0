import type { GradientWriter } from "./gradient_writer.ts";
import { aligned, type Labeled, labeled, lengthOf, permuted, squeezed, summed } from "./labeled.ts";
import { matrixProduct, type Sum } from "./matrix_product.ts";

type Labels = readonly string[];

/**
 * Adds nodes that multiply two values and sum over the labels that `output` lacks. If there are such labels, one
 * MatMul or Gemm does both, which avoids the memory of an elementwise product. Axes of length 1 are broadcast along
 * axes of the same label. Labels that neither value has are missing from the result.
 *
 * @param output labels of the result, in order
 */
export function contract(
  write: GradientWriter,
  x: Labeled,
  y: Labeled,
  output: Labels,
): Labeled {
  const [a, b] = [unrepeated(write, x, y), unrepeated(write, y, x)];
  const left = summed(write, a, [...b.labels, ...output]);
  const right = summed(write, b, [...a.labels, ...output]);
  const made = output.filter((l) => left.labels.includes(l) || right.labels.includes(l));
  const both = left.labels.filter((l) => right.labels.includes(l) && !output.includes(l));
  // If the lengths of a label may differ, one may be 1. MatMul broadcasts only axes that it does not sum over, so
  // these labels are summed afterwards.
  const inner = both.filter((l) => lengthOf(left, l) === lengthOf(right, l));
  const late = both.filter((l) => !inner.includes(l));
  const product = productOver(write, left, right, { order: [...late, ...made], inner });
  return permuted(write, summed(write, product, made), made);
}

/** Removes those axes of x that have length 1 and are broadcast along an axis of y with the same label. */
function unrepeated(write: GradientWriter, x: Labeled, y: Labeled): Labeled {
  const gone = x.labels.filter((label) => {
    const other = lengthOf(y, label);
    return lengthOf(x, label) === 1 && other !== undefined && other !== 1;
  });
  return squeezed(write, x, gone);
}

function productOver(write: GradientWriter, x: Labeled, y: Labeled, sum: Sum): Labeled {
  const { order, inner } = sum;
  const single = order.filter((l) => x.labels.includes(l) !== y.labels.includes(l));
  if (single.length === 0) {
    return summed(write, elementwise(write, x, y, [...order, ...inner]), order);
  }
  if (inner.every((label) => lengthOf(x, label) === 1)) {
    return elementwise(write, standIn(write, x, y, sum), standIn(write, y, x, sum), order);
  }
  return y.labels.includes(single.at(-1)!)
    ? matrixProduct(write, x, y, sum)
    : matrixProduct(write, y, x, sum);
}

/**
 * Gives the summed axes of x, which have length 1 here, labels that only y has. This saves inserting axes for these
 * labels. Summed axes without a new label are removed.
 */
function standIn(write: GradientWriter, x: Labeled, y: Labeled, { order, inner }: Sum): Labeled {
  const missing = order.filter((l) => y.labels.includes(l) && !x.labels.includes(l));
  const labels = x.labels.map((l) => inner.includes(l) ? missing.shift() ?? l : l);
  return squeezed(write, { ...x, labels }, inner);
}

function elementwise(write: GradientWriter, x: Labeled, y: Labeled, order: Labels): Labeled {
  const name = write.mul(aligned(write, x, order), aligned(write, y, order));
  const missing = order.length - write.rankOf(name);
  return labeled(write, missing > 0 ? write.unsqueeze(name, firstAxes(missing)) : name, order);
}

function firstAxes(count: number): number[] {
  return Array.from({ length: count }, (_, axis) => axis);
}
