/**
 * Conversion of doubles to the values of an element type: integers wrap around, floats are rounded on request.
 *
 * @module
 */

import type { ElementType } from "../../codec/element_type.ts";

/** Number of bits of each integer type, and whether it is signed. */
const WHOLE: { readonly [Type in ElementType]?: readonly [bits: number, isSigned: boolean] } = {
  i2: [2, true],
  i4: [4, true],
  i8: [8, true],
  i16: [16, true],
  i32: [32, true],
  i64: [64, true],
  u2: [2, false],
  u4: [4, false],
  u8: [8, false],
  u16: [16, false],
  u32: [32, false],
  u64: [64, false],
};

/** Returns whether an element type is an integer type. Booleans are not integers. */
export function isWhole(type: ElementType): boolean {
  return WHOLE[type] !== undefined;
}

/** Returns the number of bits of an integer type; `undefined` for other types. */
export function bitsOf(type: ElementType): number | undefined {
  return WHOLE[type]?.[0];
}

/** Returns the smallest value of an integer type; -Infinity for other types. */
export function leastOf(type: ElementType): number {
  const [bits, isSigned] = WHOLE[type] ?? [Infinity, true];
  return isSigned ? -(2 ** (bits - 1)) : 0;
}

/** Returns the largest value of an integer type, rounded to a double; Infinity for other types. */
export function greatestOf(type: ElementType): number {
  const [bits, isSigned] = WHOLE[type] ?? [Infinity, true];
  return 2 ** (isSigned ? bits - 1 : bits) - 1;
}

/**
 * Wraps integers to the range of their type, in place, and returns `data`. Non-finite values become 0. Values of
 * other types do not change.
 */
export function wrap(type: ElementType, data: Float64Array): Float64Array {
  const whole = WHOLE[type];
  if (whole === undefined) return data;
  const [bits, isSigned] = whole;
  const least = leastOf(type), greatest = greatestOf(type), span = 2 ** bits;
  for (let i = 0; i < data.length; i++) {
    const x = data[i]!;
    // Up to this limit doubles represent every integer exactly, so a comparison is enough. −0 is not an integer.
    if (x >= least && x <= greatest && (bits < 64 || Math.abs(x) <= 2 ** 53)) data[i] = x + 0;
    else if (!Number.isFinite(x)) data[i] = 0;
    else if (bits < 64) {
      const low = x - Math.floor(x / span) * span;
      data[i] = isSigned && low > greatest ? low - span : low;
    } else data[i] = Number((isSigned ? BigInt.asIntN : BigInt.asUintN)(64, BigInt(x)));
  }
  return data;
}

/** Rounds elements to a floating-point type, in place, and returns `data`. Values of other types do not change. */
export function roundTo(type: ElementType, data: Float64Array): Float64Array {
  if (type === "f32") { for (let i = 0; i < data.length; i++) data[i] = Math.fround(data[i]!); }
  else if (type === "f16") {
    for (let i = 0; i < data.length; i++) data[i] = short(data[i]!, 10, -14, 65504);
  } else if (type === "bf16") {
    for (let i = 0; i < data.length; i++) data[i] = short(data[i]!, 7, -126, BF16_MAX);
  }
  return data;
}

const BF16_MAX = (2 - 2 ** -7) * 2 ** 127;

/** Returns the nearest float with `bits` mantissa bits, ties to even. Numbers beyond `most` become infinite. */
function short(x: number, bits: number, leastExponent: number, most: number): number {
  if (!Number.isFinite(x) || x === 0) return x;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(x))), leastExponent);
  const step = 2 ** (exponent - bits);
  const rounded = roundHalfEven(x / step) * step;
  return Math.abs(rounded) > most ? Math.sign(x) * Infinity : rounded;
}

/** Returns the nearest integer, ties to even. */
export function roundHalfEven(x: number): number {
  if (!(Math.abs(x) < 2 ** 52)) return x;
  // Above this limit doubles are integers, and the addition itself has rounded half to even.
  const sum = Math.abs(x) + 2 ** 52;
  return x < 0 || Object.is(x, -0) ? -(sum - 2 ** 52) : sum - 2 ** 52;
}

/** Returns the number that the 16 bits of a float stand for. */
export function floatOfHalf(type: "f16" | "bf16", bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [width, bias] = type === "f16" ? [10, 15] : [7, 127];
  const exponent = (bits & 0x7fff) >> width, fraction = bits & ((1 << width) - 1);
  if (exponent === 2 * bias + 1) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias - width);
  return sign * (1 + fraction / (1 << width)) * 2 ** (exponent - bias);
}

/** Returns the bits of the 16-bit floats that are nearest to some numbers. */
export function bitsOfHalves(type: "f16" | "bf16", values: ArrayLike<number>): Uint16Array {
  const single = new DataView(new ArrayBuffer(4));
  return Uint16Array.from(roundTo(type, Float64Array.from(values)), (x) => {
    single.setFloat32(0, x);
    const bits = single.getUint32(0);
    if (type === "bf16") return bits >>> 16;
    const sign = (bits >>> 16) & 0x8000, size = Math.abs(x);
    if (Number.isNaN(x)) return 0x7e00;
    if (size === Infinity) return sign | 0x7c00;
    // Below 2^-14 the spacing is 2^-24. Above it, float32 has 13 more mantissa bits, and an exponent bias of 127.
    if (size < 2 ** -14) return sign | (size * 2 ** 24);
    return sign | (((bits & 0x7fffffff) >>> 13) - ((127 - 15) << 10));
  });
}
