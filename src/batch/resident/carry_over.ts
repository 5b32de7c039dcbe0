/**
 * Changes of the systems of a batch that is on a backend: values that systems keep, and initial values of new
 * systems.
 *
 * @module
 */

import type { NumericArray } from "../fields/fields.ts";
import type { Batch } from "../batch.ts";
import { carriedPairs, hasSameRows } from "./carried_pairs.ts";
import { type Column, initialRows } from "./column.ts";
import { POSITIONS } from "./column_table.ts";
import type { ResidentParts } from "./snapshots.ts";

/**
 * Fields that a replacement writes to the backend. In all other fields a new system must equal the one that it
 * replaces.
 */
const MOVING: ReadonlySet<string> = new Set([
  "positions",
  "velocities",
  "forces",
  "energy",
  "stress",
  "cell",
  "images",
  "status",
  "systemId",
  "stepsDone",
  "step",
  "time",
  "sourceId",
  "sourceIndex",
]);

/** For each system of a batch, its slot in the previous batch, or `undefined` if it is new. */
export type PlacesBefore = readonly (number | undefined)[];

/**
 * Copies the columns and pairs of systems from their previous batch, bitwise. Scratch arrays are copied, too, because
 * they belong to the current positions. States and scratch arrays that the new batch does not have are skipped.
 */
export async function carryOver(
  before: ResidentParts,
  here: ResidentParts,
  from: PlacesBefore,
): Promise<void> {
  const { backend } = here;
  const pairs = columnPairs(before, here);
  const buffers = [before.frame.active, ...pairs.map(([old]) => old.buffer)];
  const [active, ...values] = await backend.viewOrRead(buffers);
  for (const [place, old] of from.entries()) {
    if (old !== undefined) backend.write(here.frame.active, active!.subarray(old, old + 1), place);
  }
  const { origins } = here.columns;
  origins.carry(before.columns.origins, from);
  // If the new batch keeps no origins, its positions are absolute.
  const columns = values.map((there, i) =>
    pairs[i]![0] === before.columns.fields.get(POSITIONS) && !origins.isKept
      ? before.columns.origins.absolute(there, before.columns.origins.values)
      : there
  );
  for (const [i, [old, now]] of pairs.entries()) {
    for (const [place, placeBefore] of from.entries()) {
      if (placeBefore === undefined) continue;
      const [first, end] = before.columns.rows.of(old.level, placeBefore);
      const rows = columns[i]!.subarray(first * old.width, end * old.width);
      const at = here.columns.rows.of(now.level, place)[0];
      backend.write(now.buffer, resized(rows, old.width, now.width), at * now.width);
    }
  }
  await carryPairs(before, here, from);
}

/** Returns each column of the previous batch together with the column of the new batch to which it is copied. */
function columnPairs(
  { columns: before }: ResidentParts,
  { columns: here }: ResidentParts,
): (readonly [old: Column, now: Column])[] {
  const pairs: (readonly [Column, Column])[] = [];
  for (const [name, old] of before.fields) {
    if (name === "systemId") continue;
    const now = here.field(name);
    now.isChanged ||= old.isChanged;
    pairs.push([old, now]);
  }
  for (const [name, old] of [...before.states, ...before.scratches]) {
    const now = here.states.get(name) ?? here.scratches.get(name);
    if (now !== undefined) pairs.push([old, now]);
  }
  return pairs;
}

async function carryPairs(
  before: ResidentParts,
  here: ResidentParts,
  from: PlacesBefore,
): Promise<void> {
  const { backend } = here;
  const lists = [...before.lists.pairs].filter(([key]) => here.lists.pairs.has(key));
  const saving = Promise.all(lists.map(([, pairs]) => backend.savePairs(pairs)));
  backend.flush();
  for (const [i, saved] of (await saving).entries()) {
    const pairs = here.lists.pairs.get(lists[i]![0])!;
    const carried = carriedPairs(saved, before.columns.rows.nodeOffsets, from);
    backend.loadPairs(pairs, here.columns.rows.nodeOffsets, carried);
  }
}

/**
 * Returns whether systems can replace the ones in these slots without rebuilding buffers and programs. Each must have
 * as many atoms as the system that it replaces. They must not differ in a field from which data was derived, and the
 * batch must have neither edges nor states with one initial value per element.
 */
export function canReplace(
  { backend, columns }: ResidentParts,
  systems: Batch,
  places: readonly number[],
): boolean {
  const { batch, rows } = columns;
  const isMoving = (name: string) =>
    MOVING.has(name) || columns.fields.get(name)?.isChanged === true;
  const canBegin = backend.forgetPairs !== undefined &&
    batch.edgeCount === 0 && systems.edgeCount === 0 &&
    [...columns.states.values()].every(({ initial }) => typeof initial === "number") &&
    ![...columns.fields].some(([name, { hasDerived }]) => hasDerived && isMoving(name)) &&
    systems.fields().every(({ name }) => batch.has(name));
  return canBegin &&
    places.every((place, i) => {
      const [first, end] = rows.of("node", place);
      return systems.nodeOffsets[i + 1]! - systems.nodeOffsets[i]! === end - first;
    }) &&
    batch.fields().every((info) =>
      isMoving(info.name) || hasSameRows(info, [batch, systems], places)
    );
}

/**
 * Writes the batch's values of all fields to the rows of some systems on the backend, so that these systems start
 * from their initial state again.
 */
export function restoreInitial(
  { backend, columns, columns: { fields, rows, origins } }: ResidentParts,
  places: readonly number[],
): void {
  for (const [name, { buffer, host: there, level, width }] of fields) {
    if (name === POSITIONS) origins.choose(there, places);
    const host = columns.placed(name, there);
    for (const [first, end] of rows.runsOf(level, places)) {
      backend.write(buffer, host.subarray(first * width, end * width), first * width);
    }
  }
}

/** Writes the initial values of the states that `isChosen` selects to the rows of some systems. */
export function resetStates(
  { backend, columns }: ResidentParts,
  systems: Iterable<number>,
  isChosen: (name: string, isScoped: boolean) => boolean,
): void {
  const all = [...systems];
  for (const [name, column] of columns.states) {
    if (!isChosen(name, column.isScoped)) continue;
    for (const [first, end] of columns.rows.runsOf(column.level, all)) {
      backend.write(column.buffer, initialRows(column, first, end), first * column.width);
    }
  }
}

/**
 * Copies rows to another width, padded with zeros. The width of some arrays, such as bonds, depends on the largest
 * system of the batch.
 */
function resized(rows: NumericArray, from: number, to: number): NumericArray {
  if (from === to) return rows;
  const wide = new Float64Array(rows.length / from * to);
  for (let row = 0; row * from < rows.length; row++) {
    wide.set(rows.subarray(row * from, row * from + Math.min(from, to)), row * to);
  }
  return wide;
}
