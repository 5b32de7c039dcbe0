/**
 * Stores: arrays with the fields of consecutive systems. Each `System` and each `Batch` has one. `assemble` creates a
 * new store from systems of several stores.
 *
 * @module
 */

import { allocate, type FieldInfo, isInteger, type NumericArray } from "./fields/fields.ts";

/** A field with its values: `width` numbers per row, in the order of the systems. */
export interface Field {
  readonly info: FieldInfo;
  values: NumericArray;
}

/** User data of a system, which is kept unchanged and not interpreted. */
export type Info = Readonly<Record<string, unknown>>;

/**
 * Systems as a structure of arrays. System s has the nodes from `nodeOffsets[s]` up to, but not including,
 * `nodeOffsets[s + 1]`. `edgeOffsets` delimits its edges in the same way. The field `edges` holds indices of nodes
 * within the store.
 */
export interface Store {
  readonly nodeOffsets: Int32Array;
  readonly edgeOffsets: Int32Array;
  readonly fields: Map<string, Field>;
  readonly infos: readonly Info[];
}

/** Keys of `info` that name a system. The first one that exists is used. */
const NAMES = ["label", "name", "file"] as const;

/**
 * Returns the name of a system for messages: its slot, followed by the `label`, `name` or `file` in its `info` if
 * there is one, as in `3 (water_17.xyz)`.
 */
export function systemName(infos: readonly Info[], system: number): string {
  return placeName(system, infos[system]);
}

/** Returns the name of a system for messages, as `systemName` does, from its index in a list and its `info`. */
export function placeName(place: number, info: Info | undefined): string {
  for (const key of NAMES) {
    const value = info?.[key];
    if (typeof value === "string" && value !== "") return `${place} (${value})`;
  }
  return String(place);
}

/** Reference to one system of a store, by its index from 0. */
export interface Pick {
  readonly store: Store;
  readonly index: number;
}

/** Consecutive systems of one store, which are copied together. */
interface Run {
  readonly store: Store;
  readonly from: number;
  to: number;
  /** Slot of the first of these systems in the new store. */
  readonly at: number;
}

/** Returns the number of systems in a store. */
export function sizeOf(store: Store): number {
  return store.infos.length;
}

/** Returns all systems of a store, in order. */
export function allOf(store: Store): Pick[] {
  return store.infos.map((_, index) => ({ store, index }));
}

/**
 * Creates a store of the picked systems in the given order. It has every field that one of them has. Systems without
 * the field get its fill value.
 *
 * @param nameOf returns the name of the n-th pick for messages
 * @param before a store whose fields the new store gets, too, even if no system has them
 * @throws {TypeError} if systems disagree on the description of a field, or if a system lacks an integer field
 * without a fill value
 */
export function assemble(
  picks: readonly Pick[],
  nameOf: (pick: number) => string,
  before?: Store,
): Store {
  const runs = runsOf(picks);
  const nodeOffsets = offsetsOf(picks, (store) => store.nodeOffsets);
  const edgeOffsets = offsetsOf(picks, (store) => store.edgeOffsets);
  const fields = new Map<string, Field>();
  const made: Store = {
    nodeOffsets,
    edgeOffsets,
    fields,
    infos: picks.map(({ store, index }) => store.infos[index]!),
  };
  for (const info of unionOf(runs, nameOf, before)) {
    fields.set(info.name, { info, values: gather(info, runs, made, nameOf) });
  }
  return made;
}

function runsOf(picks: readonly Pick[]): Run[] {
  const runs: Run[] = [];
  for (const [at, { store, index }] of picks.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && last.store === store && last.to === index) last.to++;
    else runs.push({ store, from: index, to: index + 1, at });
  }
  return runs;
}

function offsetsOf(picks: readonly Pick[], of: (store: Store) => Int32Array): Int32Array {
  const offsets = new Int32Array(picks.length + 1);
  for (const [i, { store, index }] of picks.entries()) {
    offsets[i + 1] = offsets[i]! + of(store)[index + 1]! - of(store)[index]!;
  }
  return offsets;
}

/** Returns the fields of all runs and of the store `before`. Throws a TypeError if their descriptions disagree. */
function unionOf(
  runs: readonly Run[],
  nameOf: (pick: number) => string,
  before?: Store,
): FieldInfo[] {
  const union = new Map<string, Declared>();
  const seen = new Set<Store>();
  const add = (store: Store, origin: () => string) => {
    if (seen.has(store)) return;
    seen.add(store);
    for (const { info } of store.fields.values()) {
      const known = union.get(info.name);
      if (known === undefined) union.set(info.name, { info, origin });
      else known.info = agreed(known, { info, origin });
    }
  };
  if (before !== undefined) add(before, () => "the batch");
  for (const { store, at } of runs) add(store, () => nameOf(at));
  return Array.from(union.values(), ({ info }) => info);
}

/** Description of a field, and a function that returns the name of a system with this field for messages. */
interface Declared {
  info: FieldInfo;
  readonly origin: () => string;
}

function agreed(a: Declared, b: Declared): FieldInfo {
  const [x, y] = [a.info, b.info];
  if (x === y) return x;
  const same = x.level === y.level && x.dtype === y.dtype && x.width === y.width &&
    (x.unit === y.unit || x.unit === "" || y.unit === "") &&
    (x.fill === undefined || y.fill === undefined || Object.is(x.fill, y.fill));
  if (!same) {
    throw new TypeError(
      `Cannot join systems: the field "${x.name}" must have the same level, dtype, width, unit and fill value in all of them; ` +
        `got ${describe(x)} in ${a.origin()}, ${describe(y)} in ${b.origin()}`,
    );
  }
  return { ...x, unit: x.unit || y.unit, fill: x.fill ?? y.fill };
}

function describe({ level, dtype, width, unit, fill }: FieldInfo): string {
  const of = unit === "" ? "" : ` in ${unit}`;
  return `${width} × ${dtype}${of} per ${level}${
    fill === undefined ? "" : ` with fill value ${fill}`
  }`;
}

/** Returns the values of one field for all systems of the new store. */
function gather(
  info: FieldInfo,
  runs: readonly Run[],
  made: Store,
  nameOf: (pick: number) => string,
): NumericArray {
  const { name, width } = info;
  const values = allocate(info.dtype, rowsOf(info, made, sizeOf(made)) * width);
  for (const run of runs) {
    const start = rowsOf(info, made, run.at) * width;
    const field = run.store.fields.get(name);
    if (field === undefined) {
      const end = rowsOf(info, made, run.at + run.to - run.from) * width;
      if (end > start) values.fill(fillOf(info, () => nameOf(run.at)), start, end);
      continue;
    }
    const from = rowsOf(info, run.store, run.from) * width;
    const to = rowsOf(info, run.store, run.to) * width;
    values.set(field.values.subarray(from, to), start);
    if (name === "edges") {
      const moved = made.nodeOffsets[run.at]! - run.store.nodeOffsets[run.from]!;
      for (let i = start; i < start + to - from; i++) values[i] = values[i]! + moved;
    }
  }
  return values;
}

/** Returns the first row of system `at` in a field. If `at` is the number of systems, returns the number of rows. */
export function rowsOf({ level }: FieldInfo, store: Store, at: number): number {
  if (level === "system") return at;
  return (level === "node" ? store.nodeOffsets : store.edgeOffsets)[at]!;
}

/**
 * Returns the value that a system without the field gets: the fill value, or NaN for floats without one.
 *
 * @throws {TypeError} if an integer field has no fill value
 */
export function fillOf(info: FieldInfo, origin: () => string): number {
  if (info.fill !== undefined) return info.fill;
  if (!isInteger(info.dtype)) return NaN;
  throw new TypeError(
    `Cannot join systems: ${origin()} lacks the field "${info.name}", which has no fill value. Add the field there, or declare it with a fill value`,
  );
}
