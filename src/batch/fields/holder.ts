/**
 * Engines that hold fields of a batch.
 *
 * @module
 */

import type { NumericArray } from "./fields.ts";

/** An engine that holds fields of a batch. */
export interface FieldHolder {
  /** Name of the engine for messages, such as "NVE". */
  readonly by: string;
  /** Names of the held fields. The batch's own arrays of these fields are out of date. */
  readonly fields: ReadonlySet<string>;
  /** Returns the current values of a held field, in an array that the caller may keep. */
  fetch(name: string): Promise<NumericArray>;
}

/** Returns the error for reading a field that an engine holds. */
export function heldError(action: string, name: string, by: string): Error {
  return new Error(
    `Cannot ${action}: ${by} holds this field now. Use await batch.fetch("${name}"), ` +
      `or reads: ["${name}"] in a hook`,
  );
}

/** Returns the error for an action that is impossible while an engine holds fields of the batch. */
export function busyError(action: string, by: string): Error {
  return new Error(
    `Cannot ${action}: ${by} holds the batch now. Close it first, ` +
      `or use await batch.snapshot()`,
  );
}

const MADE = new WeakSet<object>();

/**
 * Marks an object of fields whose getters create a new array at every access, and returns it. Such an array need not
 * be copied to keep it.
 */
export function markMade<T extends object>(fields: T): T {
  MADE.add(fields);
  return fields;
}

/** Returns whether an object was marked by {@linkcode markMade}. */
export function isMade(fields: object): boolean {
  return MADE.has(fields);
}
