/**
 * Numbers that a type can hold: whole numbers wrap around, floats are rounded where that is asked for.
 *
 * @module
 */

import type { ElementType } from "../../codec/element_type.ts";

/** Type of whole numbers → its bits, and whether it goes below zero. */
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

/** Is it a type of whole numbers? Truth values are none. */
export function isWhole(type: ElementType): boolean {
  return WHOLE[type] !== undefined;
}

/** How many bits a type of whole numbers has, or `undefined`. */
export function bitsOf(type: ElementType): number | undefined {
  return WHOLE[type]?.[0];
}

/** The least number that a type of whole numbers holds; that of floats is -Infinity. */
export function leastOf(type: ElementType): number {
  const [bits, isSigned] = WHOLE[type] ?? [Infinity, true];
  return isSigned ? -(2 ** (bits - 1)) : 0;
}

/** The greatest number that a type of whole numbers holds, to double precision; that of floats is Infinity. */
export function greatestOf(type: ElementType): number {
  const [bits, isSigned] = WHOLE[type] ?? [Infinity, true];
  return 2 ** (isSigned ? bits - 1 : bits) - 1;
}

/**
 * Wraps whole numbers around where they are beyond their type, in place; other types are left alone.
 * What is no finite number becomes 0.
 */
export function wrap(type: ElementType, data: Float64Array): Float64Array {
  const whole = WHOLE[type];
  if (whole === undefined) return data;
  const [bits, isSigned] = whole;
  const least = leastOf(type), greatest = greatestOf(type), span = 2 ** bits;
  for (let i = 0; i < data.length; i++) {
    const x = data[i]!;
    // Up to here doubles hold every whole number, so that nothing is lost by comparing; -0 is no whole number.
    if (x >= least && x <= greatest && (bits < 64 || Math.abs(x) <= 2 ** 53)) data[i] = x + 0;
    else if (!Number.isFinite(x)) data[i] = 0;
    else if (bits < 64) {
      const low = x - Math.floor(x / span) * span;
      data[i] = isSigned && low > greatest ? low - span : low;
    } else data[i] = Number((isSigned ? BigInt.asIntN : BigInt.asUintN)(64, BigInt(x)));
  }
  return data;
}

/** Rounds to what a floating-point type holds, in place; other types are left alone. */
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

/** The nearest float with so many bits behind the point; of two equally near the even one. */
function short(x: number, bits: number, leastExponent: number, most: number): number {
  if (!Number.isFinite(x) || x === 0) return x;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(x))), leastExponent);
  const step = 2 ** (exponent - bits);
  const rounded = roundHalfEven(x / step) * step;
  return Math.abs(rounded) > most ? Math.sign(x) * Infinity : rounded;
}

/** The nearest whole number, of two the even one. */
export function roundHalfEven(x: number): number {
  if (!(Math.abs(x) < 2 ** 52)) return x;
  const sum = Math.abs(x) + 2 ** 52; // where doubles are whole, and their own rounding is half to even
  return x < 0 || Object.is(x, -0) ? -(sum - 2 ** 52) : sum - 2 ** 52;
}

/** The number that 16 bits mean. */
export function floatOfHalf(type: "f16" | "bf16", bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [width, bias] = type === "f16" ? [10, 15] : [7, 127];
  const exponent = (bits & 0x7fff) >> width, fraction = bits & ((1 << width) - 1);
  if (exponent === 2 * bias + 1) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias - width);
  return sign * (1 + fraction / (1 << width)) * 2 ** (exponent - bias);
}

/** The bits of the nearest numbers that a type of 16 bits holds. */
export function bitsOfHalves(type: "f16" | "bf16", values: ArrayLike<number>): Uint16Array {
  const single = new DataView(new ArrayBuffer(4));
  return Uint16Array.from(roundTo(type, Float64Array.from(values)), (x) => {
    single.setFloat32(0, x);
    const bits = single.getUint32(0);
    if (type === "bf16") return bits >>> 16;
    const sign = (bits >>> 16) & 0x8000, size = Math.abs(x);
    if (Number.isNaN(x)) return 0x7e00;
    if (size === Infinity) return sign | 0x7c00;
    // Below 2^-14 the steps are 2^-24 wide; above it float32 has 13 bits more, and counts exponents from −127.
    if (size < 2 ** -14) return sign | (size * 2 ** 24);
    return sign | (((bits & 0x7fffffff) >>> 13) - ((127 - 15) << 10));
  });
}
