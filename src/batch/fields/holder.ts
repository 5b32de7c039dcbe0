/**
 * Who has the values of a batch while something runs on them.
 *
 * @module
 */

import type { NumericArray } from "./fields.ts";

/** An engine that holds fields of a batch, as the batch sees it. */
export interface FieldHolder {
  /** What errors call it: "NVE". */
  readonly by: string;
  /** The names of the fields it holds: the batch's own values of these are old. */
  readonly fields: ReadonlySet<string>;
  /** The present values of a field it holds: an array the caller may keep. */
  fetch(name: string): Promise<NumericArray>;
}

/** The error for a field that is asked of a batch while an engine has it. */
export function heldError(action: string, name: string, by: string): Error {
  return new Error(
    `Cannot ${action} as no engine may hold it: ${by} holds it now; use await batch.fetch("${name}"), ` +
      `or reads: ["${name}"] in a hook`,
  );
}

/** The error for what a batch cannot do while an engine has some of it. */
export function busyError(action: string, by: string): Error {
  return new Error(
    `Cannot ${action} as no engine may hold the batch: ${by} holds it now; close that first, ` +
      `or use await batch.snapshot()`,
  );
}

const MADE = new WeakSet<object>();

/** Says of an object of fields that each is made anew whenever it is asked for: whoever asks may keep it. */
export function markMade<T extends object>(fields: T): T {
  MADE.add(fields);
  return fields;
}

/** Was that said of it? */
export function isMade(fields: object): boolean {
  return MADE.has(fields);
}
