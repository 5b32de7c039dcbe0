/**
 * Admission and replacement of systems while a batch is on a backend: the values that they keep,
 * and their initial values.
 *
 * @module
 */

import type { NumericArray } from "../fields/fields.ts";
import type { Batch } from "../batch.ts";
import { carriedPairs, hasSameRows } from "./carried_pairs.ts";
import { type Column, initialRows } from "./column.ts";
import { POSITIONS } from "./column_table.ts";
import type { ResidentParts } from "./snapshots.ts";

/** Fields that belong to a system instead of its slot. Replaced systems may differ in them. */
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

/** Slot of each system in the previous batch, or `undefined` if it was not there. */
export type PlacesBefore = readonly (number | undefined)[];

/**
 * Copies all columns and pairs of systems from their previous batch, bit by bit. Scratch arrays are
 * copied, too, because they belong to the current positions. Columns that do not exist in the new
 * batch are skipped.
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
  // If the new batch keeps no origins, positions are copied as absolute positions.
  const columns = values.map((there, i) =>
    pairs[i]![0] === before.columns.fields.get(POSITIONS) && !origins.isKept
      ? before.columns.origins.absolute(there)
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

/** Returns each column of the previous batch with the column that gets its rows. */
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
 * Returns whether systems can be put into these slots without rebuilding anything: each has as many
 * atoms as the system that it replaces, and no data derived for the batch depends on a field in
 * which they differ.
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
 * Writes the batch's own values to the rows of some systems, so that they start again from their
 * initial state.
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

/** Writes initial values to the rows of some systems, in the selected states. */
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
 * Changes the width of rows, and pads them with zeros. Fields of variable width, such as bonds, are
 * as wide as the largest system requires.
 */
function resized(rows: NumericArray, from: number, to: number): NumericArray {
  if (from === to) return rows;
  const wide = new Float64Array(rows.length / from * to);
  for (let row = 0; row * from < rows.length; row++) {
    wide.set(rows.subarray(row * from, row * from + Math.min(from, to)), row * to);
  }
  return wide;
}
