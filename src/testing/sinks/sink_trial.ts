/**
 * Sinks under test, systems of every kind, and comparisons.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import { allocate, type DType, type FieldInfo, type Level } from "../../batch/fields/fields.ts";
import type { SystemInput } from "../../batch/system_input.ts";
import type { System } from "../../batch/system.ts";
import type { Sink, Slice, StoredSink } from "../../sinks/sink.ts";
import { claim } from "../claims.ts";
import type { TestCase } from "../cases/test_case.ts";

/** A sink for one test case, and its cleanup. */
export interface SinkTrial {
  /** The sink, new and empty. */
  readonly sink: Sink;
  /** Opens the data of the closed sink again, for sinks that store them. */
  reopen?(): Sink | Promise<Sink>;
  /** Removes everything that the case has created. */
  dispose?(): void | Promise<void>;
}

/** Creates a sink for a case. */
export type MakeSinkTrial = () => SinkTrial | Promise<SinkTrial>;

/** Data that a sink does not store. */
export type Lost = "edges" | "info" | "systems";

/** Returns a case that runs `test` with a new sink, which is closed and removed in any event. */
export function onSink(
  open: MakeSinkTrial,
  name: string,
  test: (sink: Sink, trial: SinkTrial) => Promise<void>,
): TestCase {
  return {
    name,
    run: async () => {
      const trial = await open();
      try {
        await test(trial.sink, trial);
      } finally {
        await trial.sink.close();
        await trial.dispose?.();
      }
    },
  };
}

/** Numbers that lose digits easily. */
const ODD = [-0, 0.1 + 0.2, 1e300, -5e-324, 1 / 3, 2 ** 53, -1e-7, 1e21];

/** Returns a system with `atoms` atoms that is different for each seed. */
export function structure(seed: number, atoms: number = 1 + seed % 3): SystemInput {
  const numbers = Array.from({ length: atoms }, (_, i) => 1 + (7 * seed + i) % 90);
  const vectors = (scale: number) =>
    Array.from(
      { length: 3 * atoms },
      (_, i) => i < 2 ? scale * ODD[(seed + i) % ODD.length]! : Math.sin(seed + i) * scale,
    );
  return {
    numbers,
    positions: vectors(1).map((x) => Math.abs(x) > 1e200 ? 0.5 : x),
    ...(seed % 2 === 0 ? { cell: [[5 + seed, 0, 0], [0.1, 6, 0], [0, -0, 7]] } : {}),
    pbc: [seed % 2 === 0, false, seed % 4 === 0],
    energy: -seed / 3,
    forces: vectors(0.1),
    velocities: vectors(1e-3).map((x) => Math.abs(x) > 1e200 ? -0 : x),
  };
}

const LEVELS: readonly Level[] = ["node", "edge", "system"];
const EXTREMES: Readonly<Record<DType, readonly number[]>> = {
  f64: [...ODD, NaN, Infinity, -Infinity],
  f32: [Math.fround(0.1), -0, NaN, 3.4028234663852886e38, -Infinity, 1e-45],
  i32: [-2147483648, 2147483647, 0, -1],
  u32: [4294967295, 0, 1],
  u8: [255, 0, 1],
};

/** Returns a batch with one field per combination of level, dtype and width, whose name contains all three. */
export function everyField(): Batch {
  const batch = Batch.from([structure(2, 3), structure(5, 1), structure(4, 2)]);
  batch.setEdges([0, 1, 1, 2, 2, 0, 4, 5], [0, 0, 0, 1, 0, -1, 0, 0, 0, -2, 0, 0]);
  const rows = { node: batch.nodeCount, edge: batch.edgeCount, system: batch.size };
  for (const level of LEVELS) {
    for (const [dtype, some] of Object.entries(EXTREMES) as [DType, number[]][]) {
      for (const width of [1, 3]) {
        const values = allocate(dtype, rows[level] * width);
        for (let i = 0; i < values.length; i++) values[i] = some[(i + width) % some.length]!;
        const options = { level, dtype, width, unit: "a b:%", fill: some.at(-1)! };
        batch.set(`${level}_${dtype}_${width}`, values, options);
      }
    }
  }
  batch.set("status", [0, 1, 2]);
  batch.set("images", 3);
  batch.set("categories", Array.from({ length: batch.nodeCount }, (_, i) => i - 1));
  batch.set("charges", 0.25);
  batch.set("masses", 1.5);
  const stress = [1, 2, 3, 2, 4, 5, 3, 5, 6].map((x) => x / 7);
  batch.set("stress", Array.from({ length: batch.size }, () => stress).flat());
  return batch;
}

/**
 * Returns a batch as a hook writes it: some systems of a run at one step, whose ids differ from their current
 * positions.
 */
export function frame(step: number, sources: readonly number[]): Batch {
  const batch = Batch.from(
    sources.map((source) => ({ ...structure(source + step), id: source + 1 })),
  );
  batch.set("step", step, { level: "system", dtype: "i32", fill: -1 });
  batch.set("time", step / 2, { level: "system", dtype: "f64", unit: "fs", fill: NaN });
  batch.set("sourceId", [...sources], { level: "system", dtype: "i32", fill: -1 });
  return batch;
}

/** Returns the systems of a slice, by the simplest possible code. */
export function sliced(systems: readonly System[], slice: Slice): System[] {
  const { from = 0, to = Infinity, time, steps, systems: ids } = slice;
  const within = (x: number, [least, most]: readonly [number, number]) => least <= x && x <= most;
  return systems.filter((system, place) => {
    const value = (name: string) => system.has(name) ? system.get(name)[0]! : NaN;
    return place >= from && place < to &&
      (time === undefined || within(value("time"), time)) &&
      (steps === undefined || within(value("step"), steps)) &&
      (ids === undefined ||
        ids.includes(system.has("sourceId") ? value("sourceId") : value("systemId")));
  });
}

/** Throws an Error if a sink does not have this number of systems. */
export function claimLength({ length }: Sink, meant: number): void {
  claim(length === meant, () => `length must be ${meant}; got ${length}`);
}

/** Returns whether a sink can return slices. */
export function isStored(sink: Sink): sink is StoredSink {
  return "slice" in sink && "flush" in sink;
}

/** Throws an Error that describes the difference if a batch does not consist of these systems, bitwise. */
export function claimSame(
  found: Batch,
  systems: readonly System[],
  lost: readonly Lost[],
): void {
  const meant = Batch.from(systems);
  claim(
    found.size === meant.size,
    () => `There must be ${meant.size} systems; got ${found.size}`,
  );
  for (let place = 0; place < meant.size; place++) {
    const [a, b] = [found.system(place), meant.system(place)];
    const names = new Set([...a.fields(), ...b.fields()].map(({ name }) => name));
    for (const name of names) claimField(a, b, name, { place, lost });
    if (!lost.includes("info")) {
      claim(
        shown(a.info) === shown(b.info),
        () => `info of system ${place} must be ${shown(b.info)}; got ${shown(a.info)}`,
      );
    }
  }
}

function shown(info: unknown): string {
  return JSON.stringify(
    info,
    (_, value) => typeof value === "number" || typeof value === "bigint" ? `${value}` : value,
  );
}

/**
 * Throws an Error if a field of a system differs from the expected one. A missing field equals a field that contains
 * only its fill value.
 */
function claimField(
  found: System,
  meant: System,
  name: string,
  { place, lost }: { readonly place: number; readonly lost: readonly Lost[] },
): void {
  const infoOf = (system: System) => system.fields().find((info) => info.name === name);
  const [a, b] = [infoOf(found), infoOf(meant)];
  const info = (a ?? b)!;
  if (info.level === "edge" && lost.includes("edges")) return;
  const what = `${name} of system ${place}`;
  if (a !== undefined && b !== undefined) {
    claim(
      describe(a) === describe(b),
      () => `${what} must be ${describe(b)}; got ${describe(a)}`,
    );
  }
  const blank = (values: ArrayLike<number>) =>
    new Float64Array(values.length).fill(info.fill ?? NaN);
  const x = a === undefined ? blank(meant.get(name)) : found.get(name);
  const y = b === undefined ? blank(found.get(name)) : meant.get(name);
  const isSame = x.length === y.length &&
    Array.prototype.every.call(x, (value, i) => Object.is(value, y[i]));
  claim(isSame, () => `${what} must be [${Array.from(y)}]; got [${Array.from(x)}]`);
}

function describe({ level, dtype, width, unit, fill }: FieldInfo): string {
  return `${width} × ${dtype} (${unit}) per ${level}, else ${fill}`;
}
