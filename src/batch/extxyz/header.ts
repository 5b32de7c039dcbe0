/**
 * Parsing of the comment line of an XYZ frame.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { type Column, PLAIN_COLUMNS, readColumns } from "./columns.ts";
import { readPairs } from "./comment.ts";
import type { Value } from "./values.ts";

/** A parsed comment: keys with values, and the columns of the frame. */
export interface Comment {
  readonly pairs: Map<string, Value>;
  readonly columns: readonly Column[];
  /** True if rows may have more words than columns, as is common in plain files. */
  readonly open: boolean;
}

/** A line with one of these keys is meant as extended XYZ. */
const DECLARED = /(^|\s)["']?(Properties|Lattice)["']?\s*=/;

/**
 * Parses a comment line. A line that is not a list of keys, and does not contain `Properties` or
 * `Lattice`, is plain text.
 *
 * @throws {SyntaxError} if a line with one of these keys is not a list of keys, or a key has an
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
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new SyntaxError(
        `Cannot read extxyz: the comment in line ${number} must be key=value pairs. ${reason}`,
        { cause },
      );
    }
  }
  const text = line.trim();
  const pairs = new Map<string, Value>(text === "" ? [] : [["comment", text]]);
  return { pairs, columns: PLAIN_COLUMNS, open: true };
}

/**
 * Checks the values of keys with a meaning.
 *
 * @throws {SyntaxError} for an invalid value
 */
function checkKeys(pairs: ReadonlyMap<string, Value>): void {
  const isNumbers = (value: Value, ...lengths: number[]) =>
    Array.isArray(value) && lengths.includes(value.length) &&
    value.every((x) => typeof x === "number");
  const isFlag = (value: Value) => typeof value === "boolean" || value === 0 || value === 1;
  const rules: [key: string, needs: string, ok: (value: Value) => boolean][] = [
    ["Lattice", "nine numbers", (value) => isNumbers(flatRows(value), 9)],
    ["stress", "nine numbers or six", (value) => isNumbers(flatRows(value), 9, 6)],
    ["energy", "a number", (value) => typeof value === "number"],
    [
      "pbc",
      "one flag or three",
      (value) => isFlag(value) || Array.isArray(value) && value.length === 3 && value.every(isFlag),
    ],
  ];
  for (const [key, needs, ok] of rules) {
    if (!pairs.has(key) || ok(pairs.get(key))) continue;
    throw new SyntaxError(
      `Cannot read a comment: ${key} must be ${needs}; got ${show(pairs.get(key))}`,
    );
  }
}

/** Flattens three rows of three numbers to nine numbers. */
export function flatRows(value: Value): Value {
  return Array.isArray(value) && value.every(Array.isArray) ? value.flat() : value;
}
