/**
 * Snapshots of a batch on a backend, for checkpoints.
 *
 * @module
 */

import type { Backend, FrameBuffers, SavedPairs } from "../../backend/backend.ts";
import { show } from "../../base/show.ts";
import type { NumericArray } from "../fields/fields.ts";
import { type ColumnTable, POSITIONS } from "./column_table.ts";
import type { NeighborLists } from "./neighbor_lists.ts";
import { mirrorWritten } from "./residency.ts";

/** Everything that a checkpoint needs to resume a batch on a backend bitwise identically, as plain data. */
export interface SavedResident {
  /** Precision of the backend. Only a backend with the same precision can resume from the snapshot. */
  readonly real: "f32" | "f64";
  /** One number per system: 1 if it is active, 0 if it is finished. */
  readonly active: Int32Array;
  /** Values of the fields by name. */
  readonly fields: Readonly<Record<string, NumericArray>>;
  /** Origins of the positions, Å, three numbers per system; omitted if all are 0. */
  readonly origins?: Float64Array;
  /** Values of the states of the engine, the models and the hooks, by name. */
  readonly states: Readonly<Record<string, NumericArray>>;
  /** Neighbor pairs by a key with cutoff and skin. */
  readonly pairs: Readonly<Record<string, SavedPairs>>;
}

/** The objects that make up a batch on a backend. */
export interface ResidentParts {
  readonly backend: Backend;
  readonly frame: FrameBuffers;
  readonly columns: ColumnTable;
  readonly lists: NeighborLists;
}

/** Copies the current values of all fields, states and pairs. */
export async function saveResident(parts: ResidentParts): Promise<SavedResident> {
  const { backend, frame, columns, lists } = parts;
  const fields = [...columns.fields], states = [...columns.states];
  // The origins must belong to the same state as the copies below, which are requested before the first await.
  const { values: origins } = columns.origins;
  const buffers = [frame.active, ...[...fields, ...states].map(([, { buffer }]) => buffer)];
  // All copies are requested before the first one is awaited, so that a device is waited for only once.
  const reading = backend.readLate(buffers);
  const saving = Promise.all(
    [...lists.pairs].map(async ([key, pairs]) => [key, await backend.savePairs(pairs)] as const),
  );
  backend.flush();
  const [[active, ...values], pairs] = await Promise.all([reading, saving]);
  const named = (columns: readonly (readonly [string, unknown])[], from: number) =>
    Object.fromEntries(columns.map(([name], i) => [name, values[from + i] as NumericArray]));
  return {
    real: backend.real,
    active: active as Int32Array,
    ...(origins !== undefined && { origins }),
    fields: named(fields, 0),
    states: named(states, fields.length),
    pairs: Object.fromEntries(pairs),
  };
}

/**
 * Restores a snapshot. States and pairs of the snapshot that the batch does not have are skipped.
 *
 * @throws {RangeError} if the backend has another precision
 * @throws {TypeError} if the snapshot does not fit the batch; nothing has changed then
 */
export function loadResident(parts: ResidentParts, saved: SavedResident): void {
  const { backend, frame, columns, lists } = parts;
  if (saved.real !== backend.real) {
    throw new RangeError(
      `Cannot resume from a checkpoint: backend ${backend.name} must have the precision of the checkpoint, ` +
        `${saved.real}; got ${backend.real}`,
    );
  }
  assertFits(parts, saved);
  backend.write(frame.active, saved.active);
  for (const [name, there] of Object.entries(saved.fields)) {
    const column = columns.field(name), { origins } = columns;
    const isMoved = name === POSITIONS && !origins.isKept;
    const values = isMoved ? origins.absolute(there, saved.origins) : there;
    if (name === POSITIONS && origins.isKept) origins.load(saved.origins);
    backend.write(column.buffer, values);
    mirrorWritten(backend, column, values);
    column.isChanged = true;
  }
  for (const [name, values] of Object.entries(saved.states)) {
    const column = columns.states.get(name);
    if (column === undefined) continue;
    backend.write(column.buffer, values);
    mirrorWritten(backend, column, values);
  }
  for (const [key, list] of Object.entries(saved.pairs)) {
    const pairs = lists.pairs.get(key);
    if (pairs !== undefined) backend.loadPairs(pairs, columns.rows.nodeOffsets, list);
  }
}

function assertFits({ columns, lists }: ResidentParts, saved: SavedResident): void {
  const { active, fields, states, pairs, origins } = saved;
  assertValues("the flags of active systems", active, columns.rows.size);
  if (origins !== undefined) assertValues("origins", origins, 3 * columns.rows.size);
  for (const [name, values] of Object.entries(fields)) {
    assertValues(name, values, columns.field(name).buffer.length);
  }
  for (const [name, values] of Object.entries(states)) {
    const column = columns.states.get(name);
    if (column !== undefined) assertValues(name, values, column.buffer.length);
  }
  for (const [key, list] of Object.entries(pairs)) {
    if (lists.pairs.has(key)) assertSavedPairs(list, columns.rows.nodeOffsets);
  }
}

/** Throws a TypeError if `values` is not an array of `length` numbers. */
function assertValues(what: string, values: unknown, length: number): void {
  if (ArrayBuffer.isView(values) && (values as Float64Array).length === length) return;
  throw new TypeError(
    `Cannot resume from a checkpoint: ${what} must be an array of ${length} numbers; got ${
      show(values)
    }`,
  );
}

/** Throws a TypeError if saved pairs do not fit systems with these node offsets. */
function assertSavedPairs(saved: SavedPairs, offsets: Int32Array): void {
  const systems = offsets.length - 1;
  const { builds, cells, reference, images } = saved;
  assertValues("the counts of pair searches", builds, systems);
  assertValues("the cells of the last pair search", cells, 9 * systems);
  let numbers = 0; // a system whose pairs were never found has no numbers
  for (let s = 0; s < systems; s++) {
    if (builds[s]! > 0) numbers += 3 * (offsets[s + 1]! - offsets[s]!);
  }
  assertValues("the positions of the last pair search", reference, numbers);
  assertValues("the images of the last pair search", images, numbers);
}
