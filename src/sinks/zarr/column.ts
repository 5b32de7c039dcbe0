/**
 * Rows on their way into an array: collected until they are a chunk.
 *
 * @module
 */

import type { NumericArray } from "../../batch/fields/fields.ts";
import type { ArrayPlan } from "./layout.ts";
import { VALUE_TYPES, type WrittenType } from "./value_types.ts";

/** What takes chunks that are full. Their bytes are its own until it gives them back. */
export type TakeChunk = (column: Column, chunk: number, bytes: Uint8Array<ArrayBuffer>) => void;

/** What is not a chunk yet. */
export interface Tail {
  /** Which chunk it will be. */
  readonly chunk: number;
  /** Its bytes, a copy; what is not known of the chunk yet is zero. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Buffers kept for later: as many as are usually on their way. */
const MOST_SPARE = 2;

/** An array at its end. */
export class Column {
  readonly plan: ArrayPlan;
  readonly chunkRows: number;
  readonly rowBytes: number;
  readonly #width: number;
  readonly #take: TakeChunk;
  #bytes: Uint8Array<ArrayBuffer>;
  #values: NumericArray;
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];
  #rows: number;
  /** Rows at the last cut. */
  #cut: number;

  /** Begins behind so many rows, which are what the plan's fill says unless there is a `tail` of them. */
  constructor(
    plan: ArrayPlan,
    chunkRows: number,
    { rows, take, tail }: {
      readonly rows: number;
      readonly take: TakeChunk;
      readonly tail?: Uint8Array;
    },
  ) {
    this.plan = plan;
    this.chunkRows = chunkRows;
    this.#width = plan.rest.reduce((a, b) => a * b, 1);
    this.rowBytes = this.#width * VALUE_TYPES.get(plan.type)!.size;
    this.#take = take;
    this.#rows = rows;
    this.#bytes = new Uint8Array(chunkRows * this.rowBytes);
    this.#values = viewOf(plan.type, this.#bytes);
    // All that was never written is what it is in the array: it is told to nobody that there is more.
    this.#cut = tail === undefined ? rows - rows % chunkRows : rows;
    if (tail !== undefined) this.#bytes.set(tail);
    else fillWith(plan, this.#values, 0, rows % chunkRows * this.#width);
  }

  /** How many it has, with those that are on their way. */
  get rows(): number {
    return this.#rows;
  }

  /** Bytes of a chunk. */
  get chunkBytes(): number {
    return this.#bytes.length;
  }

  /** Takes copies of rows `from` to `to` of some values. `base` is added to whole numbers of 64 bits. */
  add(values: NumericArray, from: number, to: number, base: number = 0): void {
    const width = this.#width;
    this.#each(to - from, (at, count, done) => {
      const first = (from + done) * width, last = first + count * width;
      if (this.plan.type === "int64") {
        copyWide(values, first, last, { to: this.#values, at: at * width, base });
      } else this.#values.set(values.subarray(first, last), at * width);
    });
  }

  /** Adds rows of the plan's fill. */
  addFill(rows: number): void {
    const width = this.#width;
    this.#each(rows, (at, count) => {
      fillWith(this.plan, this.#values, at * width, (at + count) * width);
    });
  }

  /** What is not a chunk yet, if there is something new in it. */
  cut(): Tail | undefined {
    const chunk = Math.floor(this.#rows / this.chunkRows);
    const from = Math.max(this.#cut - chunk * this.chunkRows, 0) * this.rowBytes;
    const to = this.#rows % this.chunkRows * this.rowBytes;
    this.#cut = this.#rows;
    if (from === to) return undefined;
    const bytes = new Uint8Array(this.#bytes.length);
    bytes.set(this.#bytes.subarray(0, to));
    return { chunk, bytes };
  }

  /** Takes back the bytes of a chunk. */
  recycle(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#spare.length < MOST_SPARE) this.#spare.push(bytes);
  }

  /** Goes through places for rows, in stretches within a chunk. */
  #each(rows: number, copy: (at: number, count: number, done: number) => void): void {
    for (let done = 0; done < rows;) {
      const at = this.#rows % this.chunkRows;
      const count = Math.min(rows - done, this.chunkRows - at);
      copy(at, count, done);
      done += count;
      this.#rows += count;
      if (at + count === this.chunkRows) this.#next();
    }
  }

  #next(): void {
    const bytes = this.#bytes;
    this.#bytes = this.#spare.pop() ?? new Uint8Array(bytes.length);
    this.#values = viewOf(this.plan.type, this.#bytes);
    this.#take(this, this.#rows / this.chunkRows - 1, bytes);
  }
}

/** Values of the type; whole numbers of 64 bits as two of 32 each, the lower first. */
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

// hot
function copyWide(
  values: NumericArray,
  from: number,
  end: number,
  { to, at, base = 0 }: { readonly to: NumericArray; readonly at: number; readonly base?: number },
): void {
  for (let i = from, j = 2 * at; i < end; i++, j += 2) {
    const value = values[i]! + base;
    to[j] = value | 0; // the lower half, also of a number beyond 32 bits
    to[j + 1] = Math.floor(value / 4294967296);
  }
}
