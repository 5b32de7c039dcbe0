/**
 * Elementwise arithmetic and elementary functions.
 *
 * @module
 */

import { allocate } from "../memory.ts";
import { floatAttribute, intAttribute } from "../../codec/attributes.ts";
import type { NodeProto } from "../../codec/messages.ts";
import { binary, type BinaryRow, combine, rowOf } from "../binary.ts";
import { broadcastData, broadcastDims } from "../broadcast.ts";
import { erf } from "./error_function.ts";
import { refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { countOf, type PlainTensor } from "../plain_tensor.ts";
import { bitsOf, roundHalfEven } from "./rounding.ts";
import { mapped, unary } from "../unary.ts";

const add: BinaryRow = (a, b, y, i, s, j, t, n, k) => {
  for (const end = k + n; k < end; k++, i += s, j += t) y[k] = a[i]! + b[j]!;
};

const sub: BinaryRow = (a, b, y, i, s, j, t, n, k) => {
  for (const end = k + n; k < end; k++, i += s, j += t) y[k] = a[i]! - b[j]!;
};

const mul: BinaryRow = (a, b, y, i, s, j, t, n, k) => {
  for (const end = k + n; k < end; k++, i += s, j += t) y[k] = a[i]! * b[j]!;
};

const div: BinaryRow = (a, b, y, i, s, j, t, n, k) => {
  for (const end = k + n; k < end; k++, i += s, j += t) y[k] = a[i]! / b[j]!;
};

/**
 * Row function for products of integers of up to 32 bits. `Math.imul` keeps the low 32 bits, which products in double
 * precision would lose.
 */
const mulNarrow = rowOf(Math.imul);

/**
 * Creates a row function for products of 64-bit integers. Products wrap around before they are rounded to a double:
 * rounded first, −5 as an unsigned integer would become 2^64, and wrap to 0.
 */
function mulWide(last64: (bits: number, product: bigint) => bigint): BinaryRow {
  return rowOf((a, b) => {
    const product = a * b;
    return Number.isSafeInteger(product) ? product : Number(last64(64, BigInt(a) * BigInt(b)));
  });
}

const mulSigned = mulWide(BigInt.asIntN), mulUnsigned = mulWide(BigInt.asUintN);

const multiply: Evaluate = (inputs, node) => {
  const a = required(inputs, 0, node), b = required(inputs, 1, node), bits = bitsOf(a.type);
  const wide = a.type === "i64" ? mulSigned : mulUnsigned;
  return [combine(node, a, b, bits === undefined ? mul : bits < 64 ? mulNarrow : wide)];
};

/**
 * Row function for integer division, truncated as in C. It is exact below 2^53, where the quotient of doubles never
 * rounds up to the next integer.
 */
const divWhole = rowOf((a, b) => Math.trunc(a / b));

/** Row function for the remainder with the sign of the divisor, as in Python. */
const floorMod = rowOf((a, b) => {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
});

/** Row function for the remainder with the sign of the dividend, as in C. */
const truncatedMod = rowOf((a, b) => a % b);

/**
 * Returns a to the power of b as in C: 1 to the power of NaN is 1, and −1 to the power of an infinity is 1.
 * JavaScript returns NaN for both.
 */
function power(a: number, b: number): number {
  if (b === 2) return a * a;
  if (a === 1 || (a === -1 && (b === Infinity || b === -Infinity))) return 1;
  return a ** b;
}

const max = rowOf(Math.max), min = rowOf(Math.min);

const mod: Evaluate = (inputs, node) => {
  const a = required(inputs, 0, node), b = required(inputs, 1, node);
  return [combine(node, a, b, intAttribute(node, "fmod", 0) === 1 ? truncatedMod : floorMod)];
};

/** Creates an operator that applies a row function to one or more inputs, from left to right. */
function variadic(row: BinaryRow): Evaluate {
  return (inputs, node) => {
    let sum = required(inputs, 0, node);
    for (let i = 1; i < inputs.length; i++) {
      sum = combine(node, sum, required(inputs, i, node), row);
    }
    return [sum];
  };
}

const mean: Evaluate = (inputs, node, context) => {
  const [sum] = variadic(add)(inputs, node, context);
  return [mapped(sum!, (x) => x / inputs.length)];
};

const clip: Evaluate = (inputs, node) => {
  const x = required(inputs, 0, node);
  const low = bound(inputs[1], node, "min", -Infinity),
    high = bound(inputs[2], node, "max", Infinity);
  // Apply the upper bound last: it has priority if the bounds contradict each other.
  return [mapped(x, (value) => Math.min(Math.max(value, low), high))];
};

/** Returns a bound of Clip from an input, or from an attribute in files of old opsets. */
function bound(
  input: PlainTensor | undefined,
  node: NodeProto,
  attribute: string,
  otherwise: number,
): number {
  if (input === undefined) return floatAttribute(node, attribute, otherwise);
  if (input.data.length === 1) return input.data[0]!;
  throw refused(node, `its input ${attribute} must be one number`, `a shape of [${input.dims}]`);
}

const where: Evaluate = (inputs, node) => {
  const all = [0, 1, 2].map((i) => required(inputs, i, node));
  const dims = broadcastDims(...all.map((each) => each.dims));
  if (dims === undefined) {
    const shapes = all.map((each) => `[${each.dims}]`).join(", ");
    throw refused(node, "the shapes of its inputs must broadcast", shapes);
  }
  const [condition, x, y] = all.map((each) => broadcastData(each, dims));
  const data = allocate(countOf(dims));
  for (let i = 0; i < data.length; i++) data[i] = condition![i] !== 0 ? x![i]! : y![i]!; // hot
  return [{ type: all[1]!.type, dims, data }];
};

const functions: Readonly<Record<string, (x: number) => number>> = {
  Abs: Math.abs,
  Acos: Math.acos,
  Acosh: Math.acosh,
  Asin: Math.asin,
  Asinh: Math.asinh,
  Atan: Math.atan,
  Atanh: Math.atanh,
  Ceil: Math.ceil,
  Cos: Math.cos,
  Cosh: Math.cosh,
  Erf: erf,
  Exp: Math.exp,
  Floor: Math.floor,
  Log: Math.log,
  Neg: (x) => -x,
  Reciprocal: (x) => 1 / x,
  Round: roundHalfEven,
  Sign: Math.sign,
  Sin: Math.sin,
  Sinh: Math.sinh,
  Sqrt: Math.sqrt,
  Tan: Math.tan,
  Tanh: Math.tanh,
};

/** Implementations of elementwise operators. */
export const ELEMENTWISE: Operators = {
  ...Object.fromEntries(Object.entries(functions).map(([op, formula]) => [op, unary(formula)])),
  Add: binary(add),
  Clip: clip,
  Div: binary(div, divWhole),
  Max: variadic(max),
  Mean: mean,
  Min: variadic(min),
  Mod: mod,
  Mul: multiply,
  Pow: binary(rowOf(power), rowOf((a, b) => Math.trunc(power(a, b)))),
  PRelu: binary(rowOf((x, slope) => x < 0 ? x * slope : x)),
  Sub: binary(sub),
  Sum: variadic(add),
  Where: where,
};
