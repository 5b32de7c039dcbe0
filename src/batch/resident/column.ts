/**
 * Columns: the arrays of a batch on a backend.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import type { BufferType } from "../../kernels/kernel.ts";
import type { Level, NumericArray } from "../fields/fields.ts";

/** Shape of an array that an engine or a model keeps beside the fields of a batch. */
export interface StateShape<D extends BufferType> {
  /** Type of its elements. */
  readonly dtype: D;
  /** Level of its rows: one per atom, or one per system. */
  readonly level: Exclude<Level, "edge">;
  /**
   * Numbers per row.
   *
   * @default 1
   */
  readonly width?: number;
  /**
   * Initial values: one for all elements, or one for each.
   *
   * @default 0
   */
  readonly initial?: number | ArrayLike<number>;
  /**
   * True if every scope shares it (see {@linkcode ResidentBatch.within}), such as the outputs of
   * models.
   *
   * @default false
   */
  readonly isShared?: boolean;
}

/** Members of every column. */
interface Stored {
  /** The array on the backend. */
  readonly buffer: Buffer;
  /** Level of its rows. */
  readonly level: Level;
  /** Numbers per row. */
  readonly width: number;
}

/** A field of the batch. */
export interface FieldColumn extends Stored {
  readonly kind: "field";
  /** The batch's own array, as it was last uploaded. */
  host: NumericArray;
  /** Values last read from a device; unused on a host backend. */
  mirror: NumericArray | undefined;
  /** True if a program or a hook may have changed the buffer since it was uploaded. */
  isChanged: boolean;
  /**
   * True if data with a longer lifetime was derived from it on the host, so that its systems cannot
   * be replaced.
   */
  hasDerived: boolean;
}

/** An array that persists from step to step. Checkpoints include it. */
export interface StateColumn extends Stored {
  readonly kind: "state";
  /** One value for all elements, or one for each. */
  readonly initial: number | ArrayLike<number>;
  /** Values last read from a device; unused on a host backend. */
  mirror: NumericArray | undefined;
  /** True if it belongs to a scope (see {@linkcode ResidentBatch.within}). */
  readonly isScoped: boolean;
}

/** An array that can be recomputed at any time. Checkpoints omit it. */
export interface ScratchColumn extends Stored {
  readonly kind: "scratch";
}

/** An array of a batch on a backend. */
export type Column = FieldColumn | StateColumn | ScratchColumn;

/** Returns the initial values of rows [first, end) of a state. */
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
 * Returns an array of equal numbers. Zeros, which engines store in large numbers, are allocated as
 * float32 to save half the memory.
 */
export function filled(value: number, length: number): Float32Array | Float64Array {
  return value === 0 ? new Float32Array(length) : new Float64Array(length).fill(value);
}
