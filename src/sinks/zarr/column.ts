/**
 * Rows of an array before they are written: collected until they fill a chunk.
 *
 * @module
 */

import type { NumericArray } from "../../batch/fields/fields.ts";
import type { ArrayPlan } from "./layout.ts";
import { CHUNKS_PER_SHARD } from "./metadata.ts";
import { VALUE_TYPES, type WrittenType } from "./value_types.ts";

/**
 * Function that receives a full chunk, and owns its bytes until it returns them by `recycle`. If `bytes` is
 * `undefined`, the chunk equals the chunk before it, which is in the same shard.
 */
export type OnChunk = (
  column: Column,
  chunk: number,
  bytes: Uint8Array<ArrayBuffer> | undefined,
) => void;

/** An incomplete chunk at the end of an array. */
export interface Tail {
  /** Index of the chunk. */
  readonly chunk: number;
  /** A copy of its bytes. Rows that do not exist yet are zero. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Largest number of spare buffers: as many chunks as usually wait for the disk. */
const MOST_SPARE = 2;

/** The growing end of an array. */
export class Column {
  readonly plan: ArrayPlan;
  readonly chunkRows: number;
  readonly rowBytes: number;
  readonly #width: number;
  readonly #onChunk: OnChunk;
  #bytes: Uint8Array<ArrayBuffer>;
  #values: NumericArray;
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];
  /** The last full chunk, with which the next one is compared. Its bytes must not change. */
  #last: Uint8Array<ArrayBuffer> | undefined;
  /** Full chunks that are not written yet. */
  readonly #pending = new Set<Uint8Array<ArrayBuffer>>();
  #rows: number;
  /** Number of rows at the last call of `takeTail`. */
  #takenRows: number;

  /**
   * Continues an array of `rows` rows. If the last chunk is incomplete, `tail` holds its bytes; without
   * `tail`, its rows get the plan's fill value.
   */
  constructor(
    plan: ArrayPlan,
    chunkRows: number,
    { rows, onChunk, tail }: {
      readonly rows: number;
      readonly onChunk: OnChunk;
      readonly tail?: Uint8Array;
    },
  ) {
    this.plan = plan;
    this.chunkRows = chunkRows;
    this.#width = plan.rest.reduce((a, b) => a * b, 1);
    this.rowBytes = this.#width * VALUE_TYPES.get(plan.type)!.size;
    this.#onChunk = onChunk;
    this.#rows = rows;
    this.#bytes = new Uint8Array(chunkRows * this.rowBytes);
    this.#values = viewOf(plan.type, this.#bytes);
    // Rows of the incomplete chunk that were filled here are not on the disk yet. They count as new, so that
    // the next `takeTail` returns them.
    this.#takenRows = tail === undefined ? rows - rows % chunkRows : rows;
    if (tail !== undefined) this.#bytes.set(tail);
    else fillWith(plan, this.#values, 0, rows % chunkRows * this.#width);
  }

  /** Number of rows, including rows that are not written yet. */
  get rows(): number {
    return this.#rows;
  }

  /** Size of a chunk in bytes. */
  get chunkBytes(): number {
    return this.#bytes.length;
  }

  /**
   * Appends the rows of `values` from `from` up to but not including `to`. `base` is added to each value if the array
   * is of type int64.
   */
  add(values: NumericArray, from: number, to: number, base: number = 0): void {
    const width = this.#width;
    // Without closures, because a run of few atoms adds rows a million times per second.
    for (let row = from; row < to;) {
      const at = this.#rows % this.chunkRows, count = Math.min(to - row, this.chunkRows - at);
      const first = row * width, last = first + count * width;
      if (this.plan.type === "int64") {
        copyWide(values, first, last, { to: this.#values, at: at * width, base });
      } else {
        const isWhole = first === 0 && last === values.length; // a view costs as much as the copy of a few atoms
        this.#values.set(isWhole ? values : values.subarray(first, last), at * width);
      }
      row += count;
      this.#grow(at, count);
    }
  }

  /** Appends rows with the plan's fill value. */
  addFill(rows: number): void {
    const width = this.#width;
    for (let done = 0; done < rows;) {
      const at = this.#rows % this.chunkRows, count = Math.min(rows - done, this.chunkRows - at);
      fillWith(this.plan, this.#values, at * width, (at + count) * width);
      done += count;
      this.#grow(at, count);
    }
  }

  /** Returns the incomplete chunk if it has rows that were added since the last call, otherwise `undefined`. */
  takeTail(): Tail | undefined {
    const chunk = Math.floor(this.#rows / this.chunkRows);
    const from = Math.max(this.#takenRows - chunk * this.chunkRows, 0) * this.rowBytes;
    const to = this.#rows % this.chunkRows * this.rowBytes;
    this.#takenRows = this.#rows;
    if (from === to) return undefined;
    const bytes = new Uint8Array(this.#bytes.length);
    bytes.set(this.#bytes.subarray(0, to));
    return { chunk, bytes };
  }

  /** Takes back the buffer of a written chunk for reuse. */
  recycle(bytes: Uint8Array<ArrayBuffer>): void {
    this.#pending.delete(bytes);
    this.#reuse(bytes);
  }

  #reuse(bytes: Uint8Array<ArrayBuffer>): void {
    const isInUse = bytes === this.#last || this.#pending.has(bytes);
    if (!isInUse && this.#spare.length < MOST_SPARE) this.#spare.push(bytes);
  }

  /** Counts `count` rows that were copied to row `at` of the chunk, and passes the chunk to `onChunk` if it is full. */
  #grow(at: number, count: number): void {
    this.#rows += count;
    if (at + count === this.chunkRows) this.#next();
  }

  #next(): void {
    const bytes = this.#bytes, last = this.#last, chunk = this.#rows / this.chunkRows - 1;
    // Fields that stay the same from frame to frame, such as atomic numbers, give equal chunks if all frames have
    // equally many atoms. Such a chunk is stored once per shard, and its buffer can be filled again.
    if (chunk % CHUNKS_PER_SHARD !== 0 && last !== undefined && isSame(bytes, last)) {
      return this.#onChunk(this, chunk, undefined);
    }
    this.#last = bytes;
    this.#pending.add(bytes);
    if (last !== undefined) this.#reuse(last);
    this.#bytes = this.#spare.pop() ?? new Uint8Array(bytes.length);
    this.#values = viewOf(this.plan.type, this.#bytes);
    this.#onChunk(this, chunk, bytes);
  }
}

/** Returns whether two chunks have the same bytes. Chunks that differ usually do so in their first bytes. */
// hot
function isSame(a: Uint8Array<ArrayBuffer>, b: Uint8Array<ArrayBuffer>): boolean {
  const whole = a.length >> 2;
  const left = new Int32Array(a.buffer, 0, whole), right = new Int32Array(b.buffer, 0, whole);
  for (let i = 0; i < whole; i++) if (left[i] !== right[i]) return false;
  for (let i = 4 * whole; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Returns a view of the buffer as values of the type. An int64 is two int32 values, the lower half first:
 * typed arrays of bigints would be slow to fill from numbers.
 */
function viewOf(type: WrittenType, { buffer }: Uint8Array<ArrayBuffer>): NumericArray {
  if (type === "float64") return new Float64Array(buffer);
  if (type === "float32") return new Float32Array(buffer);
  if (type === "uint32") return new Uint32Array(buffer);
  if (type === "int32" || type === "int64") return new Int32Array(buffer);
  return new Uint8Array(buffer);
}

function fillWith({ type, fill }: ArrayPlan, values: NumericArray, from: number, to: number): void {
  if (type !== "int64") values.fill(fill, from, to);
  else copyWide(new Float64Array(to - from).fill(fill), 0, to - from, { to: values, at: from });
}

// hot: called for every edge and every pointer
function copyWide(
  values: NumericArray,
  from: number,
  end: number,
  { to, at, base = 0 }: { readonly to: NumericArray; readonly at: number; readonly base?: number },
): void {
  if (values instanceof Int32Array && base === 0) {
    // Atomic numbers, which each frame has.
    for (let i = from, j = 2 * at; i < end; i++, j += 2) {
      const value = values[i]!;
      to[j] = value;
      to[j + 1] = value >> 31;
    }
    return;
  }
  for (let i = from, j = 2 * at; i < end; i++, j += 2) {
    const value = values[i]! + base;
    to[j] = value | 0; // the lower half, also for numbers beyond 32 bits
    to[j + 1] = Math.floor(value / 4294967296);
  }
}
