/**
 * Engines that hold fields of a batch.
 *
 * @module
 */

import type { NumericArray } from "./fields.ts";

/** An engine that holds fields of a batch. */
export interface FieldHolder {
  /** Name for messages, such as "NVE". */
  readonly by: string;
  /** Names of the held fields. The values of the batch are out of date for them. */
  readonly fields: ReadonlySet<string>;
  /** Returns the current values of a held field, in an array that the caller may keep. */
  fetch(name: string): Promise<NumericArray>;
}

/** Returns the error for reading a field that an engine holds. */
export function heldError(action: string, name: string, by: string): Error {
  return new Error(
    `Cannot ${action}: ${by} holds it now. Use await batch.fetch("${name}"), ` +
      `or reads: ["${name}"] in a hook`,
  );
}

/** Returns the error for an action that is impossible while an engine holds a part of the batch. */
export function busyError(action: string, by: string): Error {
  return new Error(
    `Cannot ${action}: ${by} holds the batch now. Close it first, ` +
      `or use await batch.snapshot()`,
  );
}

const MADE = new WeakSet<object>();

/**
 * Marks an object of fields whose getters create a new array at every access. The caller may keep
 * such an array without copying it.
 */
export function markMade<T extends object>(fields: T): T {
  MADE.add(fields);
  return fields;
}

/** Returns whether an object was marked by {@linkcode markMade}. */
export function isMade(fields: object): boolean {
  return MADE.has(fields);
}
