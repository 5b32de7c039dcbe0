// Stopped at any step and resumed is never stopped: for each engine, with hooks of all kinds that keep state.
import { assert, assertEquals } from "@std/assert";
import { Batch, initVelocities } from "../../src/batch/mod.ts";
import {
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
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import {
  AverageStressHook,
  CheckpointHook,
  ConvergedSnapshotHook,
  DiffusionHook,
  EnergyDriftMonitorHook,
  LoggingHook,
  RadialDistributionHook,
  Reporter,
  SnapshotHook,
  VelocityAutocorrelationHook,
} from "../../src/observe/mod.ts";
import { JsonlSink, MemorySink, type Sink } from "../../src/sinks/mod.ts";
import { ARGON, argon, assertSameBits, bitsOf } from "./atoms.ts";
import { few, test } from "../suite.ts";
import { where } from "./backends.ts";
import { onEngines, onEnginesAndGpu } from "./on_engines.ts";
import { untestedEngines } from "./untested_engines.ts";

type Place = Pick<DynamicsOptions, "device" | "backend"> & { readonly model: typeof ARGON };

const ENGINES: Readonly<Record<string, (place: Place) => Dynamics>> = {
  NVE: (place) => new NVE({ ...place, dt: 2 }),
  NVTLangevin: (place) =>
    new NVTLangevin({ ...place, dt: [2, 1], temperature: [60, 30], friction: 0.02, seed: 5 }),
  NVTNoseHoover: (place) =>
    new NVTNoseHoover({ ...place, dt: 2, temperature: [60, 30], thermostatTime: 100 }),
  NVTBussi: (place) =>
    new NVTBussi({ ...place, dt: 2, temperature: [60, 30], thermostatTime: 100, seed: 7 }),
  NPH: (place) =>
    new NPH({ ...place, dt: 2, pressure: [1000 * BAR, 0], barostatTime: 200, temperature: 40 }),
  NPT: (place) =>
    new NPT({
      ...place,
      dt: 2,
      pressure: [1000 * BAR, 0],
      temperature: [60, 30],
      thermostatTime: 100,
      barostatTime: 200,
      pressureCoupling: "anisotropic",
    }),
  "NVTLangevin on two threads": (place) =>
    new NVTLangevin({
      ...place,
      dt: 2,
      temperature: 60,
      friction: 0.02,
      seed: 5,
      ...place.device === "wasm" ? { threads: 2 } : {},
    }),
  "NVTLangevin with constraints": (place) =>
    new NVTLangevin({
      ...place,
      dt: 2,
      temperature: 60,
      friction: 0.02,
      seed: 5,
      constraints: [fixBonds([[[0, 1], [1, 2], [4, 5]], []]), fixComponents([9, 33], "xz")],
    }),
  "NVE that holds its center of mass": (place) =>
    new NVE({ ...place, dt: 2, constraints: [fixCenterOfMass()] }),
  "NVTLangevin and NVE, fused": (place) =>
    fuse(
      new NVTLangevin({ ...place, dt: 2, temperature: 60, friction: 0.02, seed: 5, nSteps: 7 }),
      new NVE({ ...place, dt: 3, nSteps: STEPS }),
    ),
  FIRE: (place) => new FIRE({ ...place, dt: 0.5 }),
  "FIRE with cells": (place) => new FIRE({ ...place, dt: 0.5, cell: true }),
  "FIRE with fixed atoms": (place) =>
    new FIRE({ ...place, dt: 0.5, constraints: [fixAtoms([0, 5])] }),
  FIRE2: (place) => new FIRE2({ ...place, dt: 0.05, tMax: 0.5 }),
  LBFGS: (place) => new LBFGS({ ...place, memory: 3, maxStep: 0.01, lineSearch: true }),
  "LBFGS with cells": (place) =>
    new LBFGS({ ...place, memory: 3, maxStep: 0.01, cell: { pressure: 100 * BAR } }),
};

/** Those that the fast suite resumes on a GPU, too. */
const ON_GPU = ["NVTLangevin", "FIRE2"];

const STEPS = 18;
/** Steps that are done after a checkpoint and are lost. */
const LOST = 5;

function atoms(): Batch {
  const batch = Batch.from([argon(2, 0, 0.15), argon(1, 1, 0.05)]);
  for (const name of ["status", "stress"] as const) batch.ensure(name);
  initVelocities(batch, 40, { seed: 1 });
  return batch;
}

/** State that outlives an engine. */
interface Kept {
  readonly memory: MemorySink;
  readonly relaxed: MemorySink;
  readonly folder: string;
}

interface Hooks {
  readonly list: readonly object[];
  /** Their results. */
  results(): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Hooks made anew over what is kept. */
function hooksOver({ memory, relaxed, folder }: Kept, isTimed: boolean): Hooks {
  const file = new JsonlSink(`${folder}/frames.jsonl`), logPath = `${folder}/log.csv`;
  const seen = { count: 0, steps: [] as number[] };
  const own = hook({
    name: "own",
    frequency: 1,
    sample: 0.4,
    sampleSeed: 3,
    after: 2,
    on: {
      dynamics: {
        AFTER_STEP({ stepCount }) {
          seen.count++;
          seen.steps.push(stepCount);
        },
      },
    },
    save: () => structuredClone(seen),
    load: (saved: typeof seen) => void Object.assign(seen, structuredClone(saved)),
  });
  const observers = [
    new EnergyDriftMonitorHook({ threshold: 1 }),
    new RadialDistributionHook({ cutoff: 6, bins: 12, frequency: 3 }),
    new AverageStressHook({ frequency: 2, blockSize: 3 }),
    ...isTimed
      ? [
        new DiffusionHook({ frequency: 2, lags: 5 }),
        new VelocityAutocorrelationHook({ frequency: 3, lags: 4, originEvery: 2 }),
      ]
      : [],
  ];
  const reporter = new Reporter({ frequency: 4, reporters: [] });
  return {
    list: [
      ...isTimed ? [] : [
        ConvergenceHook.fromFmax(0.06),
        new ConvergedSnapshotHook({ sink: relaxed }),
      ],
      named("memory", new SnapshotHook({ sink: memory, frequency: 3 })),
      named("file", new SnapshotHook({ sink: file, frequency: 4 })),
      new LoggingHook({ backend: "csv", logPath, frequency: 2 }),
      ...observers,
      reporter,
      own,
      new CheckpointHook({ folder: `${folder}/steps`, everySteps: 7 }),
    ],
    results: async () => ({
      memory: await contentsOf(memory),
      relaxed: await contentsOf(relaxed),
      file: await contentsOf(file),
      log: await Deno.readTextFile(logPath),
      ...Object.fromEntries(observers.map((one) => [one.constructor.name, one.save()])),
      energies: reporter.history.series("energy"),
      seen,
    }),
    close: () => file.close(),
  };
}

/** Saves after a number of steps, in the middle of a run. */
function stopping(md: Dynamics, stop: number, path: string) {
  return hook({
    name: "stopping",
    frequency: 1,
    on: {
      dynamics: {
        AFTER_STEP({ stepCount }) {
          if (stepCount + 1 === stop) void md.betweenSteps(() => md.saveCheckpoint(path));
        },
      },
    },
  });
}

const named = <T extends object>(name: string, hook: T) => Object.assign(hook, { name });

/** All that a sink holds, as numbers. */
async function contentsOf(sink: Sink): Promise<unknown> {
  if (sink.length === 0) return [];
  const all = await sink.read();
  return [bitsOf(all), ...["step", "sourceId"].map((name) => [...all.get(name)])];
}

test("each engine that there is can be stopped and resumed", () => {
  const tried = Object.values(ENGINES).map((make) => make({ model: ARGON }));
  assertEquals(untestedEngines(tried), []);
});

// The fast suite stops each engine after one of its steps, the slow one after several, and engines beside each other
// after others.
for (const [i, [name, make]] of Object.entries(ENGINES).entries()) {
  Deno.test(
    `${name}: stopped at any step and resumed is never stopped, in all that hooks keep`,
    (few(ON_GPU.includes(name), true) ? onEnginesAndGpu : onEngines)(async (backend, device) => {
      const folder = await Deno.makeTempDir();
      try {
        const start = async (run: string) => {
          const kept = {
            memory: new MemorySink(),
            relaxed: new MemorySink(),
            folder: `${folder}/${run}`,
          };
          await Deno.mkdir(kept.folder);
          return kept;
        };
        const open = (kept: Kept, stop = -1) => {
          const md = make({ model: ARGON, ...where(backend) });
          const hooks = hooksOver(kept, md.integrator.dt !== undefined);
          for (const one of hooks.list) md.hooks.add(one as never);
          md.hooks.add(stopping(md, stop, `${kept.folder}/stop.hooke`));
          return { md, hooks };
        };
        const finish = async ({ md, hooks }: ReturnType<typeof open>, batch: Batch) => {
          await md.run(batch, STEPS - md.stepCount);
          const all = await hooks.results(), steps = md.stepCount;
          await md.close();
          await hooks.close();
          return { bits: bitsOf(batch), all, steps };
        };
        const want = await finish(open(await start("whole")), atoms());
        const all = Array.from({ length: want.steps - 1 }, (_, i) => i + 1); // some have all converged by then
        assert(want.steps > 11, `${want.steps} steps are too few to stop in`);
        const stops = device === "reference"
          ? few([all[5 * i % all.length]!], all.filter((_, j) => j % 4 === i % 4))
          : device === "wasm"
          ? few([5 + i % 7], all.filter((_, j) => j % 6 === i % 6))
          : i % 2 === 0
          ? [5]
          : [11];
        for (const stop of stops) {
          const kept = await start(`${stop}`), first = open(kept, stop);
          await first.md.run(atoms(), stop + LOST);
          await first.md.close();
          await first.hooks.close();

          const again = open(kept);
          const got = await finish(
            again,
            await again.md.loadCheckpoint(`${kept.folder}/stop.hooke`),
          );
          assertSameBits(got.bits, want.bits, `stopped at ${stop}`);
          for (const [what, value] of Object.entries(want.all)) {
            const isSame = JSON.stringify(got.all[what]) === JSON.stringify(value);
            assert(isSame, `${what} is not what it was, stopped at ${stop}`);
          }
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    }),
  );
}
