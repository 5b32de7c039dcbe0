/**
 * Columns: arrays of a batch on a backend.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { BufferType } from "../../kernels/kernel.ts";
import type { Level, NumericArray } from "../fields/fields.ts";

/** Shape of an array that an engine or a model stores in addition to the fields of a batch. */
export interface StateShape<D extends BufferType> {
  /** Type of the elements. */
  readonly dtype: D;
  /** Level of the array: one row per atom, or one per system. */
  readonly level: Exclude<Level, "edge">;
  /**
   * Numbers per row.
   *
   * @default 1
   */
  readonly width?: number;
  /**
   * Initial values: one number for all elements, or one number for each element.
   *
   * @default 0
   */
  readonly initial?: number | ArrayLike<number>;
  /**
   * True if all scopes share the array (see {@linkcode ResidentBatch.within}), for example the output of a model.
   *
   * @default false
   */
  readonly isShared?: boolean;
}

/** Members that all columns have. */
interface Stored {
  /** The array on the backend. */
  readonly buffer: Buffer;
  /** Level of the array: one row per atom, edge or system. */
  readonly level: Level;
  /** Numbers per row. */
  readonly width: number;
}

/** The column of a field of the batch. */
export interface FieldColumn extends Stored {
  readonly kind: "field";
  /** The batch's own array, as of the last upload. */
  host: NumericArray;
  /** Values that were last read from a device; `undefined` before, and always on a host backend. */
  mirror: NumericArray | undefined;
  /** True if a program or a hook may have changed the buffer since the last upload. */
  isChanged: boolean;
  /**
   * True if code on the host has read the field to derive data that it keeps. Systems that differ in the field then
   * cannot be replaced.
   */
  hasDerived: boolean;
}

/** An array that persists from step to step. Checkpoints contain it. */
export interface StateColumn extends Stored {
  readonly kind: "state";
  /** Initial values: one number for all elements, or one number for each element. */
  readonly initial: number | ArrayLike<number>;
  /** Values that were last read from a device; `undefined` before, and always on a host backend. */
  mirror: NumericArray | undefined;
  /** True if the array belongs to one scope (see {@linkcode ResidentBatch.within}). */
  readonly isScoped: boolean;
}

/** An array that can be recomputed at any time. Checkpoints do not contain it. */
export interface ScratchColumn extends Stored {
  readonly kind: "scratch";
}

/** An array of a batch on a backend. */
export type Column = FieldColumn | StateColumn | ScratchColumn;

/** Returns the initial values of the rows `first` up to, but not including, `end` of a state. */
export function initialRows(
  { initial, width }: StateColumn,
  first: number,
  end: number,
): ArrayLike<number> {
  if (typeof initial !== "number") {
    return Float64Array.from(initial).subarray(width * first, width * end);
  }
  return filled(initial, width * (end - first));
}

/**
 * Returns an array of equal numbers. Zeros are stored as float32, which is exact and saves half the memory of the
 * large arrays of engines.
 */
export function filled(value: number, length: number): Float32Array | Float64Array {
  return value === 0 ? new Float32Array(length) : new Float64Array(length).fill(value);
}
