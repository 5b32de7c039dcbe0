/**
 * Constants from results of the evaluator.
 *
 * @module
 */

import type { PlainTensor } from "../evaluate/plain_tensor.ts";
import { bitsOfHalves, isWhole, roundTo } from "../evaluate/operators/rounding.ts";
import type { TensorProto } from "../codec/messages.ts";
import { hasArray, makeTensorProto } from "../codec/tensor_proto.ts";

/**
 * Returns a constant with these numbers, rounded to their type; `undefined` if the type cannot be stored in an array,
 * or if some of its integers may not be exact as doubles.
 */
export function constantTensor(plain: PlainTensor, name: string): TensorProto | undefined {
  const { type, dims, data } = plain;
  if (!hasArray(type) || !isExact(plain)) return undefined;
  const isShort = type === "f16" || type === "bf16";
  const values = isShort ? bitsOfHalves(type, data) : roundTo(type, data.slice());
  return makeTensorProto(type, dims, values, name);
}

/** Returns whether all numbers are exact. A double above 2^53 may be the rounded value of another integer. */
export function isExact({ type, data }: PlainTensor): boolean {
  return !isWhole(type) || data.every(Number.isSafeInteger);
}
