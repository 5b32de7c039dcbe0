import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import type { Fact } from "../../../src/onnx/infer/facts.ts";
import { isFresh, type KnownLength, lengthAt } from "../../../src/onnx/infer/length.ts";

/** Returns the difference between a fact and its tensor, with these lengths by name; `undefined` if they agree. */
export function mismatch(
  { type, shape, values }: Fact,
  made: PlainTensor,
  names: Readonly<Record<string, number>>,
): string | undefined {
  if (type !== undefined && type !== made.type) return `${type} for ${made.type}`;
  if (shape !== undefined && !isAs(shape, made.dims, names)) return `[${shape}] for [${made.dims}]`;
  if (values !== undefined && !isAs(values, made.data, names)) {
    return `values [${values}] for [${made.data}]`;
  }
}

/** Are these the numbers that are known? Nothing is claimed of fresh names. */
function isAs(
  known: readonly KnownLength[],
  numbers: ArrayLike<number>,
  names: Readonly<Record<string, number>>,
): boolean {
  return known.length === numbers.length &&
    known.every((length, i) => isFresh(length) || lengthAt(length, names) === numbers[i]);
}
