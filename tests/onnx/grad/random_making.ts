/**
 * Values from which random operators are made.
 *
 * @module
 */

import type { Attributes } from "../../../src/onnx/codec/attributes.ts";
import type { PlainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";

/** A value of a graph, with what it is for the numbers that are fed. */
export interface Known extends PlainTensor {
  readonly name: string;
}

/** Values from which a random operator is made. */
export interface Making {
  /** All floats that there are, at least one. */
  readonly values: readonly Known[];
  /** The one to begin with. */
  readonly a: Known;
  /** A whole number from 0 to below n. */
  readonly random: (n: number) => number;
  /** One of a list. */
  pick<T>(list: readonly T[]): T | undefined;
  /** A value of whole numbers. */
  ints(values: readonly number[], dims?: readonly number[]): string;
  /** A constant float. */
  float(value: number): string;
  /** A value of truth values, the shape of another's, some of them up. */
  flags(like: Known): string;
}

/** A node to add, or `undefined` where the values there are do not fit. */
export type Draft = {
  readonly inputs: readonly string[];
  readonly attributes?: Attributes;
  /** @default 1 */
  readonly outputs?: number;
  /** Outputs that are floats. @default all */
  readonly floats?: number;
} | undefined;

/** Makes a node of an operator. */
export type Operator = (making: Making) => Draft;

/** Of a value that has axes; it is given one of them. */
export const along =
  (operator: (making: Making, axis: number, length: number) => Draft): Operator => (making) => {
    const { a, random } = making;
    if (a.dims.length === 0) return undefined;
    const axis = random(a.dims.length);
    return operator(making, axis, a.dims[axis]!);
  };

/** Returns the number of elements of a tensor with these lengths. */
export const count = (dims: readonly number[]): number =>
  dims.reduce((product, n) => product * n, 1);

/** Smallest distance of values from kinks, and from one another if an operator takes the larger value. */
export const MARGIN = 0.15;

/** No number is near another one. */
export const areDistinct = ({ data }: Known): boolean => {
  const sorted = data.toSorted();
  return sorted.every((x, i) => i === 0 || x - sorted[i - 1]! > MARGIN);
};

/** Of one value, where it is in a range. */
export const unary =
  (fits: (a: Known) => boolean = () => true, attributes?: Attributes): Operator => ({ a }) =>
    fits(a) ? { inputs: [a.name], ...attributes && { attributes } } : undefined;
