/**
 * Systems one after the other in arrays: what System and Batch keep their values in, and how systems are taken from
 * several stores into a new one.
 *
 * @module
 */

import { allocate, type FieldInfo, isInteger, type NumericArray } from "./fields/fields.ts";

/** A field with its values: rows × width, in the order of the systems. */
export interface Field {
  readonly info: FieldInfo;
  values: NumericArray;
}

/** What is known of a system besides its fields: plain data, kept as it is. */
export type Info = Readonly<Record<string, unknown>>;

/** Structure of arrays. The first node of system s is `nodeOffsets[s]`, and `edges` count nodes from 0 in the store. */
export interface Store {
  readonly nodeOffsets: Int32Array;
  readonly edgeOffsets: Int32Array;
  readonly fields: Map<string, Field>;
  readonly infos: readonly Info[];
}

/** System `index` of `store`. */
export interface Pick {
  readonly store: Store;
  readonly index: number;
}

/** Picks that follow each other in their store, so that they are copied at once. */
interface Run {
  readonly store: Store;
  readonly from: number;
  to: number;
  /** The first of its systems in the new store. */
  readonly at: number;
}

/** The number of systems. */
export function sizeOf(store: Store): number {
  return store.infos.length;
}

/** All systems of a store, in order. */
export function allOf(store: Store): Pick[] {
  return store.infos.map((_, index) => ({ store, index }));
}

/**
 * A new store of the picked systems in this order. It has every field that one of them has; those without it get
 * the field's fill value.
 *
 * @param nameOf how errors call the n-th pick
 * @param before a store whose fields stay, even when none of its systems does
 * @throws {TypeError} for systems that disagree on what a field is, or that lack one without a fill value
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

/** Every field of any run, and of the store before, as all of them agree it is. */
function unionOf(
  runs: readonly Run[],
  nameOf: (pick: number) => string,
  before?: Store,
): FieldInfo[] {
  const union = new Map<string, Declared>();
  const seen = new Set<Store>();
  const add = (store: Store, who: () => string) => {
    if (seen.has(store)) return;
    seen.add(store);
    for (const { info } of store.fields.values()) {
      const known = union.get(info.name);
      if (known === undefined) union.set(info.name, { info, who });
      else known.info = agreed(known, { info, who });
    }
  };
  if (before !== undefined) add(before, () => "the batch");
  for (const { store, at } of runs) add(store, () => nameOf(at));
  return Array.from(union.values(), ({ info }) => info);
}

/** What a field is, and who says so. */
interface Declared {
  info: FieldInfo;
  readonly who: () => string;
}

function agreed(a: Declared, b: Declared): FieldInfo {
  const [x, y] = [a.info, b.info];
  if (x === y) return x;
  const same = x.level === y.level && x.dtype === y.dtype && x.width === y.width &&
    (x.unit === y.unit || x.unit === "" || y.unit === "") &&
    (x.fill === undefined || y.fill === undefined || Object.is(x.fill, y.fill));
  if (!same) {
    throw new TypeError(
      `Cannot join systems as the field "${x.name}" must be the same in all of them: ` +
        `in ${a.who()} it is ${describe(x)}, in ${b.who()} ${describe(y)}`,
    );
  }
  return { ...x, unit: x.unit || y.unit, fill: x.fill ?? y.fill };
}

function describe({ level, dtype, width, unit, fill }: FieldInfo): string {
  const of = unit === "" ? "" : ` in ${unit}`;
  return `${width} × ${dtype}${of} per ${level}${fill === undefined ? "" : `, else ${fill}`}`;
}

/** The values of one field in the new store. */
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

/** The row of a field at which system `at` of a store begins. */
export function rowsOf({ level }: FieldInfo, store: Store, at: number): number {
  if (level === "system") return at;
  return (level === "node" ? store.nodeOffsets : store.edgeOffsets)[at]!;
}

/** What a system that comes without a field gets. Throws a TypeError where there is nothing. */
export function fillOf(info: FieldInfo, who: () => string): number {
  if (info.fill !== undefined) return info.fill;
  if (!isInteger(info.dtype)) return NaN;
  throw new TypeError(
    `Cannot join systems as all must have the field "${info.name}", which has no fill value: ${who()} does not have it`,
  );
}
