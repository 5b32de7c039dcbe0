/**
 * What the comment line of an XYZ file says of its frame.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { type Column, PLAIN_COLUMNS, readColumns } from "./columns.ts";
import { readPairs } from "./comment.ts";
import type { Value } from "./values.ts";

/** What a comment says: keys with values, and whether the file declares itself to be extended. */
export interface Comment {
  readonly pairs: Map<string, Value>;
  readonly columns: readonly Column[];
  /** Whether rows may go on after the columns: plain files often do. */
  readonly open: boolean;
}

/** Whoever writes one of these means the line to be read. */
const DECLARED = /(^|\s)["']?(Properties|Lattice)["']?\s*=/;

/**
 * What a comment says. A line that is no list of keys, and does not declare itself to be one, is just a comment.
 *
 * @throws {SyntaxError} for a declared list that is none, and for a key with a meaning and a value without
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
        `Cannot read extxyz as its comment must be key=value pairs: line ${number} is not; ${reason}`,
        { cause },
      );
    }
  }
  const text = line.trim();
  const pairs = new Map<string, Value>(text === "" ? [] : [["comment", text]]);
  return { pairs, columns: PLAIN_COLUMNS, open: true };
}

/** @throws {SyntaxError} for a key with a meaning and a value without */
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
      `Cannot read a comment as ${key} must be ${needs}: current value is ${show(pairs.get(key))}`,
    );
  }
}

/** Three rows of three are nine. */
export function flatRows(value: Value): Value {
  return Array.isArray(value) && value.every(Array.isArray) ? value.flat() : value;
}
