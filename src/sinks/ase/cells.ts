/**
 * Checked reading of the cells of a row of ASE's tables.
 *
 * @module
 */

import { readJson } from "../../batch/extxyz/python_json.ts";
import { show } from "../../base/show.ts";
import type { Row } from "./database.ts";
import { listsOf, unpack } from "./packed.ts";

/** Returns the atomic numbers of a row. Their count is the number of atoms. */
export function numbersOf(row: Row): Int32Array {
  const bytes = row["numbers"];
  if (!(bytes instanceof Uint8Array) || bytes.length % 4 !== 0) throw bad("numbers", bytes);
  return new Int32Array(bytes.slice().buffer);
}

/** Returns whether a row has both initial and computed charges, and they differ. */
export function hasTwoCharges(row: Row): boolean {
  const [a, b] = [row["initial_charges"], row["charges"]];
  return a instanceof Uint8Array && b instanceof Uint8Array && a.some((byte, i) => byte !== b[i]);
}

/**
 * Returns `count` float64 numbers, or `undefined` if the cell is empty. Throws a SyntaxError if the cell is not a
 * blob of `count` numbers.
 */
export function floats(row: Row, name: string, count: number): Float64Array | undefined {
  const bytes = row[name];
  if (bytes === null || bytes === undefined) return undefined;
  if (!(bytes instanceof Uint8Array) || bytes.length !== 8 * count) throw bad(name, bytes);
  return new Float64Array(bytes.slice().buffer);
}

/**
 * Returns `count` int32 numbers, or `undefined` if the cell is empty. Throws a SyntaxError if the cell is not a blob
 * of `count` numbers.
 */
export function integers(row: Row, name: string, count: number): Int32Array | undefined {
  const bytes = row[name];
  if (bytes === null || bytes === undefined) return undefined;
  if (!(bytes instanceof Uint8Array) || bytes.length !== 4 * count) throw bad(name, bytes);
  return new Int32Array(bytes.slice().buffer);
}

/** Returns a number, or `undefined` if the cell is empty. Throws a SyntaxError for any other value. */
export function real(row: Row, name: string): number | undefined {
  const value = row[name];
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "number") throw bad(name, value);
  return value;
}

/** Returns an object that is stored as JSON. Throws a SyntaxError if the cell is not a JSON object. */
export function objectOf(text: unknown): Record<string, unknown> {
  const value = typeof text === "string" ? readJson(text) : text;
  // Some versions of ASE encode the JSON twice, as the text of a text.
  const object = typeof value === "string" ? readJson(value) : value;
  if (typeof object === "object" && object !== null && !Array.isArray(object)) {
    return listsOf(object) as Record<string, unknown>;
  }
  throw bad("key_value_pairs", text);
}

/** Returns the content of the cell `data`: values that have no separate column. */
export function dataOf(value: unknown): Record<string, unknown> {
  if (typeof value === "string" || value instanceof Uint8Array) return unpack(value);
  throw bad("data", value);
}

/** Returns the error for a cell that is not valid. */
export function bad(name: string, value: unknown): SyntaxError {
  return new SyntaxError(
    `Cannot read a row: its ${name} must fit its atoms; got ${
      value instanceof Uint8Array ? `${value.length} bytes` : show(value)
    }`,
  );
}
