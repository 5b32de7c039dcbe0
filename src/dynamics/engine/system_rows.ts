/**
 * Some systems of a batch, and their rows of its fields.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import { markMade } from "../../batch/fields/holder.ts";
import type { Rows } from "../../hooks/run/read_view.ts";

/** The rows of some systems, in their order. */
export class SystemRows {
  /** Their places. */
  readonly places: readonly number[];
  readonly #batch: Batch;
  readonly #offsets: Int32Array;
  #own: Batch | undefined;

  /** Copies nothing yet. */
  constructor(batch: Batch, places: readonly number[]) {
    this.#batch = batch;
    this.#offsets = batch.nodeOffsets;
    this.places = places;
  }

  /** Returns whether they are of this batch, with its current systems. */
  isFor(batch: Batch): boolean {
    return batch === this.#batch && batch.nodeOffsets === this.#offsets;
  }

  /** True if they are all systems of the batch. */
  get isAll(): boolean {
    return this.places.length === this.#batch.size;
  }

  /** A batch of these systems, which shares its values with the whole batch. */
  get batch(): Batch {
    return this.#own ??= this.isAll ? this.#batch : this.#batch.view(this.places);
  }

  /** Returns their rows of a field, or of each field in a frame. */
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

  /** Puts rows of theirs where they belong. */
  put(field: string, rows: NumericArray, whole: NumericArray): void {
    const { each, isNode } = this.#shape(field, whole);
    this.#each(each, isNode, (from, to, at) => whole.set(rows.subarray(at, at + to - from), from));
  }

  /** Returns their flags. */
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

  /** Numbers per row, and whether there is a row per atom. */
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
 * Returns how the numbers of a field belong to the atoms or systems of a batch, which began at `offsets`; `undefined` if
 * they belong to edges. Measured fields belong to systems.
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
