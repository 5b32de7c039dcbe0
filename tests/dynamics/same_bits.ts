/** Results of a system in each way to run it, for bitwise comparison: each engine, in each way. */
import { field } from "../../src/hooks/mod.ts";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { Batch, fcc, initVelocities, rattle, System } from "../../src/batch/mod.ts";
import {
  type AtomView,
  BAR,
  ConvergenceHook,
  type Dynamics,
  type DynamicsOptions,
  FIRE,
  FIRE2,
  fixAtoms,
  fixBonds,
  fixCenterOfMass,
  fixComponents,
  fuse,
  LBFGS,
  NPH,
  NPT,
  NVE,
  NVTBussi,
  NVTLangevin,
  NVTNoseHoover,
  SizeAwareSampler,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { FreezeAtomsHook, MaxForceClampHook, WrapPeriodicHook } from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, assertSameBits, idle } from "./atoms.ts";
import { type EngineBackend, where } from "./backends.ts";
import { bySource } from "./streams.ts";

type Place = Pick<DynamicsOptions, "device" | "backend" | "model">;

/** An engine, and which systems it is tried on. */
interface Row {
  /** With fixed bonds, the cells are higher. */
  readonly isWide?: boolean;
  /** It ends by itself, not after a number of steps. */
  readonly isFused?: boolean;
  /** Hooks that change something. */
  readonly hooks?: () => readonly object[];
  make(place: Place): Dynamics;
}

/** Of each system its own. */
const temperature = { field: "warmth" }, pressure = { field: "load" };
const bath = { dt: 2, temperature, thermostatTime: 50 };
const press = { pressure, barostatTime: 200 };
const small = { maxStep: 2e-3 }; // or it would be there at once
const at = (...places: number[]) => ({ place }: AtomView) => places.includes(place);
const constraints = [fixBonds([[0, 1], [2, 3]]), fixAtoms(at(4)), fixComponents(at(5), "z")];

/** Every engine; a new one needs a line here. */
export const ENGINES: Readonly<Record<string, Row>> = {
  NVE: { make: (place) => new NVE({ ...place, dt: { field: "pace" } }) },
  NVTLangevin: { make: (place) => new NVTLangevin({ ...place, ...langevin() }) },
  NVTNoseHoover: { make: (place) => new NVTNoseHoover({ ...place, ...bath }) },
  NVTBussi: { make: (place) => new NVTBussi({ ...place, ...bath, seed: 7 }) },
  NPH: { make: (place) => new NPH({ ...place, dt: 2, ...press, temperature }) },
  "NPT, isotropic": { make: (place) => new NPT({ ...place, ...bath, ...press }) },
  "NPT, anisotropic": {
    make: (place) => new NPT({ ...place, ...bath, ...press, pressureCoupling: "anisotropic" }),
  },
  "NPT, triclinic": {
    make: (place) =>
      new NPT({ ...place, ...bath, ...press, pressureCoupling: "triclinic", chainLength: 5 }),
  },
  FIRE: { make: (place) => new FIRE({ ...place, dt: 0.3 }) },
  FIRE2: { make: (place) => new FIRE2({ ...place, dt: 0.05, tMax: 0.5 }) },
  LBFGS: { make: (place) => new LBFGS({ ...place, ...small }) },
  "LBFGS, by line searches": {
    make: (place) => new LBFGS({ ...place, ...small, memory: 3, lineSearch: true }),
  },
  "FIRE with cells": { make: (place) => new FIRE({ ...place, dt: 0.3, cell: { pressure } }) },
  "FIRE2 with cells": { make: (place) => new FIRE2({ ...place, dt: 0.05, cell: true }) },
  "LBFGS with cells": {
    make: (place) => new LBFGS({ ...place, ...small, cell: { pressure, isotropic: true } }),
  },
  "LBFGS with cells, by line searches": {
    make: (place) => new LBFGS({ ...place, ...small, lineSearch: true, cell: true }),
  },
  "NVTLangevin with bonds and atoms held": {
    isWide: true,
    make: (place) => new NVTLangevin({ ...place, ...langevin(), constraints }),
  },
  "NVTNoseHoover with bonds and the center of mass held": {
    isWide: true,
    make: (place) =>
      new NVTNoseHoover({
        ...place,
        ...bath,
        constraints: [fixBonds([[0, 1], [1, 2]]), fixCenterOfMass()],
      }),
  },
  "LBFGS with atoms held": {
    make: (place) => new LBFGS({ ...place, ...small, constraints: [fixAtoms(at(0, 3))] }),
  },
  "NVE with hooks that change it": {
    hooks: () => [
      new FreezeAtomsHook({ atoms: at(2, 6) }),
      new MaxForceClampHook({ maxForce: 0.05 }),
      new WrapPeriodicHook({ frequency: 1 }), // what is due by the steps of the engine finds each in another of its own
    ],
    make: (place) => new NVE({ ...place, dt: 2 }),
  },
  "NVTLangevin so hot that pairs are found again and again": {
    hooks: () => [new WrapPeriodicHook({ frequency: 1 })],
    make: (place) =>
      new NVTLangevin({ ...place, ...langevin(), temperature: { ...temperature, factor: 20 } }),
  },
  "LBFGS with cells → NPT → NVTBussi with atoms held": { isFused: true, make: heldStages },
  "FIRE → NVTLangevin → NVE": { isFused: true, make: threeStages },
};

function langevin() {
  return { dt: 2, temperature, friction: 0.02, seed: 5 };
}

function threeStages(place: Place): Dynamics {
  return fuse(
    new FIRE({ ...place, dt: 0.3, hooks: [ConvergenceHook.fromFmax(0.03)] }),
    new NVTLangevin({ ...place, ...langevin(), nSteps: 40 }),
    new NVE({ ...place, dt: 2, nSteps: 30 }),
  );
}

function heldStages(place: Place): Dynamics {
  return fuse(
    new LBFGS({ ...place, ...small, cell: { pressure }, nSteps: 30 }),
    new NPT({ ...place, ...bath, ...press, pressureCoupling: "triclinic", nSteps: 40 }),
    new NVTBussi({ ...place, ...bath, seed: 3, nSteps: 30 }),
    { constraints: [fixAtoms(at(1))] },
  );
}

/** The system that is looked at, by its place in the source. */
const LOOKED_AT = 16;
/** Number of slots. */
const PLACES = 64;

const crowds = new Map<string, readonly System[]>();

/** A crowd of 4 to 48 atoms each, of temperatures, pressures and steps of their own, or all of those of the one. */
function crowd({ isWide = false }: Row, isUniform = false): readonly System[] {
  // Making one takes longer than many of the runs.
  const name = `${isWide} ${isUniform}`, made = crowds.get(name) ?? makeCrowd(isWide, isUniform);
  crowds.set(name, made);
  return made;
}

function makeCrowd(isWide: boolean, isUniform: boolean): readonly System[] {
  const cellsOf = (i: number) =>
    i < 4 ? [2, 2, 3] : i < 8 ? [2, 2, 2] : i < 20 ? [2, 2, 1] : [1, 1, 1 + i % 4];
  const batch = Batch.from(Array.from({ length: PLACES }, (_, i) => {
    const cells = cellsOf(i) as [number, number, number];
    const crystal = fcc({ element: "Ar", a: 5.26, cells: isWide ? [2, 2, cells[2]] : cells });
    const [cell, { symbols, positions }] = [Array.from(crystal.cell!), crystal];
    if (isWide) cell[8]! += 4; // a slab
    const system = new System({ symbols, positions, cell, pbc: true });
    return rattle(system, 0.02 + 0.15 * ((7 * i) % 11) / 10, i);
  }));
  const each = (value: (i: number) => number) =>
    Array.from({ length: PLACES }, (_, i) => value(isUniform ? LOOKED_AT : i));
  const options = { level: "system", dtype: "f64" } as const;
  batch.set("warmth", each((i) => 30 + i % 7 * 10), options);
  batch.set("load", each((i) => i % 3 * 500 * BAR), options);
  batch.set("pace", each((i) => 1 + i % 4 / 2), options);
  batch.set("rests", each((i) => i % 20 === 1 ? 0 : 1), options); // after the first step
  for (const name of ["status", "stress"] as const) batch.ensure(name);
  initVelocities(batch, 40, { seed: 1 });
  return batch.systems();
}

/** Values to compare. */
type Bits = Record<string, number[]>;
const FIELDS = [
  "positions",
  "velocities",
  "forces",
  "energy",
  "stress",
  "cell",
  "images",
  "stepsDone",
  "stageSteps",
  "time",
];

/** A trial: an engine on a backend, for a number of steps. */
export interface Trial {
  readonly row: Row;
  readonly backend: EngineBackend;
  /** Steps of each system. */
  readonly steps: number;
}

/** Observations of the watched system at the end of its steps. */
type Ends = number[][];

/** An engine with hooks, and what it sees. */
function open(
  { row, backend, steps }: Trial,
  more: readonly object[] = [],
): [Dynamics, Ends] {
  const md = row.make({ model: ARGON, ...where(backend) }), ends: Ends = [];
  const energy = md.integrator.dt === undefined ? "fmax" : "conservedEnergy";
  const end = hook({
    name: "end",
    frequency: steps,
    phase: steps - 1,
    reads: ["systemId", "stepsDone", energy],
    on: {
      dynamics: {
        AFTER_STEP({ read }) {
          const s = Array.from(read.systemId).indexOf(LOOKED_AT);
          if (s !== -1 && read.stepsDone[s] === steps) ends.push([read[energy][s]!]);
        },
      },
    },
  });
  for (const one of [...row.hooks?.() ?? [], ...row.isFused ? [] : [end], ...more]) {
    md.hooks.add(one as never);
  }
  return [md, ends];
}

/** Its results in this slot of a batch, and the observations. */
function bitsAt(batch: Batch, place: number, ends: Ends): Bits {
  const one = batch.select([place]);
  // A frame has a time in any case: NaN where steps take none.
  const there = FIELDS.filter((name) => one.has(name) && !Number.isNaN(one.get(name)[0]));
  return {
    ...Object.fromEntries(there.map((name) => [name, Array.from(one.get(name))])),
    ends: ends.flat(),
  };
}

/** Those whose field says so rest after the first step. */
const resting = () =>
  new ConvergenceHook({ criteria: [{ key: field<Float64Array>()("rests"), threshold: 0 }] });
const restingIn = ({ row }: Trial) => row.isFused ? [] : [resting()];

/** The places of a crowd as a batch, each called as it is in the crowd. */
function batchOf(systems: readonly System[], places: readonly number[]): Batch {
  const batch = Batch.from(places.map((at) => systems[at]!));
  batch.set("systemId", places);
  return batch;
}

/** Number of steps; fused stages end by themselves. */
const lengthOf = ({ row, steps }: Trial) => row.isFused ? Infinity : steps;

/** Runs these, and answers with what has come of the one that is looked at. */
async function ran(
  trial: Trial,
  places: readonly number[],
  more: readonly object[] = [],
): Promise<Bits> {
  const [md, ends] = open(trial, more);
  const batch = batchOf(crowd(trial.row), places);
  await md.run(batch, lengthOf(trial));
  await md.close();
  return bitsAt(batch, places.indexOf(LOOKED_AT), ends);
}

const OTHERS = Array.from({ length: PLACES }, (_, i) => i).filter((i) => i !== LOOKED_AT);
const FEW = [20, LOOKED_AT, 1, 9, 23];

/** Saves in the middle of a run, after a number of steps. */
function saving(md: Dynamics, after: number, path: string) {
  return hook({
    name: "saving",
    frequency: after,
    phase: after - 1,
    until: after,
    on: { dynamics: { AFTER_STEP: () => void md.betweenSteps(() => md.saveCheckpoint(path)) } },
  });
}

/** Stopped some steps after a checkpoint in a file, and gone on with from there. */
async function resumed(trial: Trial, places: readonly number[] = FEW): Promise<Bits> {
  const path = await Deno.makeTempFile();
  try {
    const stop = Math.ceil(0.37 * (trial.row.isFused ? Math.min(trial.steps, 100) : trial.steps));
    const [first] = open(trial, restingIn(trial));
    first.hooks.add(saving(first, stop, path));
    await first.run(batchOf(crowd(trial.row), places), stop + 3);
    await first.close();
    const [second, ends] = open(trial, restingIn(trial));
    second.hooks.add(saving(second, stop, path)); // its time has passed
    const batch = await second.loadCheckpoint(path);
    assertEquals(second.stepCount, stop);
    await second.run(batch, lengthOf(trial) - stop);
    await second.close();
    return bitsAt(batch, places.indexOf(LOOKED_AT), ends);
  } finally {
    await Deno.remove(path);
  }
}

/** Joins a stream in which others have moved for five times as long. */
async function admitted(
  trial: Trial,
  { isResumed = false, isUniform = false }: { isResumed?: boolean; isUniform?: boolean } = {},
): Promise<Bits> {
  const { row, steps } = trial, systems = crowd(row, isUniform).slice(0, 20);
  const sink = new MemorySink();
  const options = {
    sinks: [sink],
    refillFrequency: Math.ceil(steps / 5),
    ...row.isFused ? {} : { maxSteps: steps },
  };
  const make = () => new SizeAwareSampler(systems, { maxSystems: 3 });
  let [md, ends] = open(trial, restingIn(trial));
  if (isResumed) {
    await md.stream(make(), { ...options, nSteps: Math.floor(5.3 * steps) });
    const saved = await md.save();
    await md.close();
    [md, ends] = open(trial, restingIn(trial));
    await md.load(saved);
  }
  await md.stream(make(), options);
  await md.close();
  const found = bySource(sink.read()), one = found.get(LOOKED_AT)!;
  const joined = one.get("step")[0]! + 1 - one.get("stepsDone")[0]!;
  assertEquals(found.size, systems.length);
  if (row.isFused || isUniform) {
    assert(joined >= 4 * Math.min(steps, 100), `joined at step ${joined}`);
  } else assertEquals(joined, 5 * steps);
  return bitsAt(one, 0, ends);
}

/** Looks at all that moves, in each step and at each of its stages. */
function observers(): readonly object[] {
  const reads = ["positions", "velocities", "forces", "energy", "temperature", "stress"] as const;
  return [
    idle(),
    hook({ name: "all", frequency: 1, reads, on: { dynamics: { AFTER_STEP: () => {} } } }),
    hook({
      name: "some",
      frequency: 7,
      reads,
      on: { dynamics: { AFTER_COMPUTE: () => {} } },
      sync: true,
    }),
  ];
}

/** By hand and in parts. */
async function inParts(trial: Trial): Promise<Bits> {
  const [md, ends] = open(trial, restingIn(trial)), batch = batchOf(crowd(trial.row), FEW);
  const part = Math.floor(trial.steps / 4);
  await md.run(batch, part);
  for (let i = 0; i < 3; i++) await md.step(batch);
  await md.run(batch, part - 3);
  await md.run(batch, 0);
  await md.run(batch, lengthOf(trial) - 2 * part);
  await md.close();
  return bitsAt(batch, FEW.indexOf(LOOKED_AT), ends);
}

/** The ways in which a system can be run besides alone. */
export const WAYS: Readonly<Record<string, (trial: Trial) => Promise<Bits>>> = {
  "in slot 0": (trial) => ran(trial, [LOOKED_AT, ...OTHERS], restingIn(trial)),
  "in slot 63": (trial) => ran(trial, [...OTHERS, LOOKED_AT], restingIn(trial)),
  "among few": (trial) => ran(trial, FEW, restingIn(trial)),
  "observed": (trial) => ran(trial, FEW, observers()),
  "resumed": resumed,
  "resumed alone": (trial) => resumed(trial, [LOOKED_AT]),
  "admitted late": (trial) => admitted(trial),
  "admitted late, resumed": (trial) => admitted(trial, { isResumed: true }),
  "admitted late, to a place that is free": (trial) => admitted(trial, { isUniform: true }),
  "in parts": inParts,
};

/** Alone. */
export async function alone(trial: Trial): Promise<Bits> {
  const bits = await ran(trial, [LOOKED_AT]);
  assertNotEquals(bits.positions, Array.from(crowd(trial.row)[LOOKED_AT]!.positions));
  assertEquals(bits.ends!.length, trial.row.isFused ? 0 : 1);
  return bits;
}

/** Throws where one way gives other bits than alone. */
export async function assertSameWay(trial: Trial, way: string, expected: Bits): Promise<void> {
  assertSameBits(await WAYS[way]!(trial), expected, way);
}
