/**
 * Operators that go element by element.
 *
 * @module
 */

import { binary, type BinaryRow } from "./binary.ts";
import type { Operators } from "./operator.ts";

const add: BinaryRow = (a, b, y, i, s, j, t, n, k) => {
  for (const end = k + n; k < end; k++, i += s, j += t) y[k] = a[i]! + b[j]!;
};

const mul: BinaryRow = (a, b, y, i, s, j, t, n, k) => {
  for (const end = k + n; k < end; k++, i += s, j += t) y[k] = a[i]! * b[j]!;
};

/** Arithmetic and elementary functions. */
export const ELEMENTWISE: Operators = { Add: binary(add), Mul: binary(mul) };
