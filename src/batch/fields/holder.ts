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

/** Reads float64 fields in the precision of an engine that computes them in float32. */
export interface RoundedValues {
  /** Returns the values of a field in float32; `undefined` if the engine computes it in another precision. */
  rounded(name: string): Float32Array | undefined;
  /** Returns the values of `rounded`; `undefined` if the values of the batch have more digits. */
  single(name: string): Float32Array | undefined;
}

/**
 * Reads fields that an engine holds, without the copies of `Batch.snapshot`. Values must not be changed, and are valid
 * until the engine goes on.
 */
export interface HeldValues extends RoundedValues {
  /** Returns the values of a field in the batch's type. */
  current(name: string): NumericArray;
}

const MADE = new WeakSet<object>();
const HELD = new WeakMap<object, HeldValues>();

/** Attaches the values of held fields to an object of fields by name, and returns the object. */
export function withHeld<T extends object>(fields: T, held: HeldValues): T {
  HELD.set(fields, held);
  return fields;
}

/** Returns the values that {@linkcode withHeld} has attached to an object. */
export function heldIn(fields: object): HeldValues | undefined {
  return HELD.get(fields);
}

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
