/**
 * Comparisons, boolean and bitwise operators.
 *
 * @module
 */

import { intAttribute, textAttribute } from "../../codec/attributes.ts";
import { binary, combine, rowOf } from "../binary.ts";
import { refused, required } from "../operands.ts";
import type { Evaluate, Operators } from "../operator.ts";
import { bitsOf } from "./rounding.ts";
import { mapped, unary } from "../unary.ts";

/** Creates an operator with two inputs and booleans as results. */
function truth(formula: (a: number, b: number) => boolean): Evaluate {
  const row = rowOf((a, b) => formula(a, b) ? 1 : 0);
  return binary(row, row, "bool");
}

/** Creates a bitwise operator. It uses the slower `wide` only for 64-bit integers. */
function bitwise(
  narrow: (a: number, b: number) => number,
  wide: (a: bigint, b: bigint) => bigint,
): Evaluate {
  const rows = {
    narrow: rowOf(narrow),
    wide: rowOf((a, b) => Number(wide(BigInt(a), BigInt(b)))),
  };
  return (inputs, node) => {
    const a = required(inputs, 0, node), b = required(inputs, 1, node);
    return [combine(node, a, b, bitsOf(a.type) === 64 ? rows.wide : rows.narrow)];
  };
}

const shift: Evaluate = (inputs, node) => {
  const a = required(inputs, 0, node), b = required(inputs, 1, node);
  const direction = textAttribute(node, "direction", "");
  if (direction !== "LEFT" && direction !== "RIGHT") {
    throw refused(node, "its direction must be LEFT or RIGHT", JSON.stringify(direction));
  }
  const bits = bitsOf(a.type) ?? 0;
  const isLeft = direction === "LEFT";
  // Shifts by the number of bits or more leave only the sign.
  const row = rowOf((x, n) => {
    if (n < 0 || n >= bits) return isLeft || x >= 0 ? 0 : -1;
    return Number(isLeft ? BigInt(x) << BigInt(n) : BigInt(x) >> BigInt(n));
  });
  return [combine(node, a, b, row)];
};

const isInfinite: Evaluate = (inputs, node) => {
  const up = intAttribute(node, "detect_positive", 1) === 1;
  const down = intAttribute(node, "detect_negative", 1) === 1;
  const test = (x: number) => (up && x === Infinity) || (down && x === -Infinity) ? 1 : 0;
  return [mapped(required(inputs, 0, node), test, "bool")];
};

/** Implementations of comparisons, boolean and bitwise operators, by operator. */
export const LOGIC: Operators = {
  And: truth((a, b) => a !== 0 && b !== 0),
  BitShift: shift,
  BitwiseAnd: bitwise((a, b) => a & b, (a, b) => a & b),
  BitwiseNot: unary((x) => -1 - x),
  BitwiseOr: bitwise((a, b) => a | b, (a, b) => a | b),
  BitwiseXor: bitwise((a, b) => a ^ b, (a, b) => a ^ b),
  Equal: truth((a, b) => a === b),
  Greater: truth((a, b) => a > b),
  GreaterOrEqual: truth((a, b) => a >= b),
  IsInf: isInfinite,
  IsNaN: unary((x) => Number.isNaN(x) ? 1 : 0, "bool"),
  Less: truth((a, b) => a < b),
  LessOrEqual: truth((a, b) => a <= b),
  Not: unary((x) => x === 0 ? 1 : 0),
  Or: truth((a, b) => a !== 0 || b !== 0),
  Xor: truth((a, b) => (a !== 0) !== (b !== 0)),
};
