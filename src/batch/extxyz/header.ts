/**
 * Parsing of the comment line of an XYZ frame.
 *
 * @module
 */

import { reasonOf, show } from "../../base/show.ts";
import { type Column, PLAIN_COLUMNS, readColumns } from "./columns.ts";
import { readPairs } from "./comment.ts";
import type { Value } from "./values.ts";

/** A parsed comment line: its keys and values, and the columns of the frame. */
export interface Comment {
  readonly pairs: Map<string, Value>;
  readonly columns: readonly Column[];
  /** True if rows may have more words than the columns need, as is common in files without `Properties`. */
  readonly open: boolean;
}

/** Matches a comment line that must be extended XYZ: it sets `Properties` or `Lattice`. */
const DECLARED = /(^|\s)["']?(Properties|Lattice)["']?\s*=/;

/**
 * Parses a comment line. If the line has no `key=value` pair, or is not a valid list of pairs and sets neither
 * `Properties` nor `Lattice`, it is plain text and becomes the pair `comment`.
 *
 * @throws {SyntaxError} if a line that sets `Properties` or `Lattice` is not a valid list of pairs, or a key has an
 * invalid value
 */
export function readComment(line: string, number: number): Comment {
  try {
    const pairs = readPairs(line);
    const isList = [...pairs.values()].some((value) => value !== true) || DECLARED.test(line);
    if (isList) {
      const declared = pairs.get("Properties");
      const columns = declared === undefined ? PLAIN_COLUMNS : readColumns(declared);
      pairs.delete("Properties");
      checkKeys(pairs);
      return { pairs, columns, open: declared === undefined };
    }
  } catch (cause) {
    if (DECLARED.test(line)) {
      throw new SyntaxError(
        `Cannot read extxyz: line ${number} must be a comment of valid key=value pairs: ${
          reasonOf(cause)
        }`,
        { cause },
      );
    }
  }
  const text = line.trim();
  const pairs = new Map<string, Value>(text === "" ? [] : [["comment", text]]);
  return { pairs, columns: PLAIN_COLUMNS, open: true };
}

/**
 * Checks the values of `Lattice`, `stress`, `energy` and `pbc`.
 *
 * @throws {SyntaxError} for the first invalid value
 */
function checkKeys(pairs: ReadonlyMap<string, Value>): void {
  for (const [key, needs, ok] of RULES) {
    if (!pairs.has(key) || ok(pairs.get(key))) continue;
    throw new SyntaxError(
      `Cannot read a comment: ${key} must be ${needs}; got ${show(pairs.get(key))}`,
    );
  }
}

const isNumbers = (value: Value, ...lengths: number[]) =>
  Array.isArray(value) && lengths.includes(value.length) &&
  value.every((x) => typeof x === "number");
const isFlag = (value: Value) => typeof value === "boolean" || value === 0 || value === 1;

/** Keys, and what their values must be. */
const RULES: readonly (readonly [key: string, needs: string, ok: (value: Value) => boolean])[] = [
  ["Lattice", "nine numbers", (value) => isNumbers(flatRows(value), 9)],
  ["stress", "six or nine numbers", (value) => isNumbers(flatRows(value), 9, 6)],
  ["energy", "a number", (value) => typeof value === "number"],
  [
    "pbc",
    "one or three of T and F",
    (value) => isFlag(value) || Array.isArray(value) && value.length === 3 && value.every(isFlag),
  ],
];

/** Flattens a list of lists, such as three rows of three numbers. Returns any other value unchanged. */
export function flatRows(value: Value): Value {
  return Array.isArray(value) && value.every(Array.isArray) ? value.flat() : value;
}
