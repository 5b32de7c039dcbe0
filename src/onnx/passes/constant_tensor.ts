/**
 * Constants from what was evaluated.
 *
 * @module
 */

import type { ElementType } from "../element_type.ts";
import type { PlainTensor } from "../evaluate/plain_tensor.ts";
import { isWhole, roundTo } from "../evaluate/rounding.ts";
import type { TensorProto } from "../messages.ts";
import { hasArray, tensorProto } from "../tensor_proto.ts";

/** The constant of these numbers, rounded to their type; `undefined` where a double or an array does not hold them. */
export function constantTensor(plain: PlainTensor, name: string): TensorProto | undefined {
  const { type, dims, data } = plain;
  if (!hasArray(type) || !isExact(plain)) return undefined;
  const rounded = roundTo(type, data.slice());
  const isShort = type === "f16" || type === "bf16";
  return tensorProto(type, dims, isShort ? rounded.map((x) => halfBits(type, x)) : rounded, name);
}

/** Beyond 2^53 a double may stand for another whole number. */
export function isExact({ type, data }: PlainTensor): boolean {
  return !isWhole(type) || data.every(Number.isSafeInteger);
}

/** The 16 bits of a number that they can hold. */
function halfBits(type: ElementType, x: number): number {
  const single = new DataView(new ArrayBuffer(4));
  single.setFloat32(0, x);
  const bits = single.getUint32(0);
  if (type === "bf16") return bits >>> 16;
  const sign = (bits >>> 16) & 0x8000, size = Math.abs(x);
  if (Number.isNaN(x)) return 0x7e00;
  if (size === Infinity) return sign | 0x7c00;
  // Below 2^-14 the steps are 2^-24 wide; above it float32 has 13 bits more, and counts exponents from −127.
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  return sign | (((bits & 0x7fffffff) >>> 13) - ((127 - 15) << 10));
}
