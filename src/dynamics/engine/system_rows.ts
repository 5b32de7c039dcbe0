/**
 * Selected systems of a batch, and their rows of its fields.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import { markMade } from "../../batch/fields/holder.ts";
import type { Rows } from "../../hooks/run/read_view.ts";

/** The rows of some systems of a batch, in the order of the slots. */
export class SystemRows {
  /** Slots of the systems. */
  readonly places: readonly number[];
  readonly #batch: Batch;
  readonly #offsets: Int32Array;
  #own: Batch | undefined;

  constructor(batch: Batch, places: readonly number[]) {
    this.#batch = batch;
    this.#offsets = batch.nodeOffsets;
    this.places = places;
  }

  /** Returns whether this selection was made from `batch` and the batch has had the same systems since then. */
  isFor(batch: Batch): boolean {
    return batch === this.#batch && batch.nodeOffsets === this.#offsets;
  }

  /** True if all systems of the batch are selected. */
  get isAll(): boolean {
    return this.places.length === this.#batch.size;
  }

  /** A batch of the selected systems: a view of the whole batch, or the whole batch if all are selected. */
  get batch(): Batch {
    return this.#own ??= this.isAll ? this.#batch : this.#batch.view(this.places);
  }

  /**
   * Returns the rows of the selected systems, from the values of a field or from a frame (an object with all fields).
   */
  of(field: string, value: unknown): unknown {
    if (this.isAll) return value;
    if (!ArrayBuffer.isView(value)) return this.#ofFrame(value as Record<string, NumericArray>);
    const values = value as NumericArray;
    const { each, isNode } = this.#shape(field, values);
    const rows = new (values.constructor as Float64ArrayConstructor)(
      each * this.#countOf(isNode),
    ) as NumericArray;
    this.#each(each, isNode, (from, to, at) => rows.set(values.subarray(from, to), at));
    return rows;
  }

  /** Copies the rows of the selected systems back to their positions in `whole`. */
  put(field: string, rows: NumericArray, whole: NumericArray): void {
    const { each, isNode } = this.#shape(field, whole);
    this.#each(each, isNode, (from, to, at) => whole.set(rows.subarray(at, at + to - from), from));
  }

  /**
   * Returns the entries of the selected systems in `mask`, which has one number per system of the batch; 0 for
   * missing entries.
   */
  masked(mask: ArrayLike<number>): Int32Array {
    return Int32Array.from(this.places, (place) => mask[place] ?? 0);
  }

  #ofFrame(frame: Readonly<Record<string, NumericArray>>): object {
    const own: Record<string, NumericArray> = {};
    for (const field of Object.keys(frame)) {
      const get = () => this.of(field, frame[field]) as NumericArray;
      Object.defineProperty(own, field, { get, enumerable: true });
    }
    return markMade(own);
  }

  /** Returns the number of values per row, and whether there is one row per atom. */
  #shape(field: string, values: NumericArray): { each: number; isNode: boolean } {
    const info = this.#batch.fields().find(({ name }) => name === field);
    const isNode = info?.level === "node";
    const rows = isNode ? this.#batch.nodeCount : this.#batch.size;
    return { each: values.length / rows, isNode };
  }

  #countOf(isNode: boolean): number {
    if (!isNode) return this.places.length;
    let atoms = 0;
    for (const s of this.places) atoms += this.#offsets[s + 1]! - this.#offsets[s]!;
    return atoms;
  }

  #each(
    each: number,
    isNode: boolean,
    work: (from: number, to: number, at: number) => void,
  ): void {
    let at = 0;
    for (const s of this.places) {
      const from = each * (isNode ? this.#offsets[s]! : s);
      const to = each * (isNode ? this.#offsets[s + 1]! : s + 1);
      work(from, to, at);
      at += to - from;
    }
  }
}

/**
 * Returns the rows of a field with `length` values: how many values belong to each atom or system, given the node
 * offsets of the systems. Returns `undefined` for fields per edge. Measured fields have one row per system.
 */
export function rowsIn(
  batch: Batch,
  field: string,
  length: number,
  offsets: Int32Array = batch.nodeOffsets,
): Rows | undefined {
  const level = batch.fields().find(({ name }) => name === field)?.level ?? "system";
  if (level === "edge") return undefined;
  const isPerAtom = level === "node", systems = offsets.length - 1;
  return { field, width: length / (isPerAtom ? offsets[systems]! : systems), isPerAtom, offsets };
}
