/**
 * Constants from what was evaluated.
 *
 * @module
 */

import type { PlainTensor } from "../evaluate/plain_tensor.ts";
import { bitsOfHalves, isWhole, roundTo } from "../evaluate/operators/rounding.ts";
import type { TensorProto } from "../codec/messages.ts";
import { hasArray, tensorProto } from "../codec/tensor_proto.ts";

/** The constant of these numbers, rounded to their type; `undefined` where a double or an array does not hold them. */
export function constantTensor(plain: PlainTensor, name: string): TensorProto | undefined {
  const { type, dims, data } = plain;
  if (!hasArray(type) || !isExact(plain)) return undefined;
  const isShort = type === "f16" || type === "bf16";
  const values = isShort ? bitsOfHalves(type, data) : roundTo(type, data.slice());
  return tensorProto(type, dims, values, name);
}

/** Beyond 2^53 a double may stand for another whole number. */
export function isExact({ type, data }: PlainTensor): boolean {
  return !isWhole(type) || data.every(Number.isSafeInteger);
}
