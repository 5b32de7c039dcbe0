/**
 * Systems that come and go while a batch is on a backend: what they bring along, and how they begin anew.
 *
 * @module
 */

import type { NumericArray } from "../fields/fields.ts";
import type { Batch } from "../batch.ts";
import { carriedPairs, hasSameRows } from "./carried_pairs.ts";
import { type Column, initialRows } from "./column.ts";
import { POSITIONS } from "./column_table.ts";
import type { ResidentParts } from "./snapshots.ts";

/** Fields that belong to a system and not to its place: replaced systems may differ in them. */
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

/** For each system its place in the batch before; `undefined` if it was not there. */
export type PlacesBefore = readonly (number | undefined)[];

/**
 * Copies all columns and pairs of systems from the batch they were in before, bit by bit. Scratch arrays come along, as
 * they were found where atoms are now. Columns that do not exist here are left out.
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
  // Where systems may have no origins here, they take along where they are.
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

/** Each column of the batch before with the one that takes its rows over. */
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
 * Tells whether systems can take these places while everything else stays: each has as many atoms as the one it replaces,
 * and nothing that was made for the batch depends on anything in which they differ.
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

/** Writes the batch's own values into the rows of some systems, undoing what became of them. */
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

/** Writes initial values into the rows of some systems, in the states that are chosen. */
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

/** Changes the width of rows: fields as wide as the largest system needs, such as bonds, are filled up with zeros. */
function resized(rows: NumericArray, from: number, to: number): NumericArray {
  if (from === to) return rows;
  const wide = new Float64Array(rows.length / from * to);
  for (let row = 0; row * from < rows.length; row++) {
    wide.set(rows.subarray(row * from, row * from + Math.min(from, to)), row * to);
  }
  return wide;
}
