// Runs that diverge: they end at the step, whatever the model, and nothing of what is not finite is written.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { Batch, System } from "../../src/batch/mod.ts";
import {
  ConvergenceHook,
  DivergedError,
  Dynamics,
  type DynamicsOptions,
  FIRE,
  fixAtoms,
  type Integrator,
  LBFGS,
  NVE,
  NVTBussi,
  NVTLangevin,
  NVTNoseHoover,
  velocityVerlet,
} from "../../src/dynamics/mod.ts";
import { kick } from "../../src/kernels/integrate/kick.ts";
import { harmonicBonds, lennardJones, potential, tethers } from "../../src/models/mod.ts";
import { ConvergedSnapshotHook, LoggingHook, SnapshotHook } from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { assertSameBits, bitsOf } from "./atoms.ts";
import { BACKENDS, type EngineBackend, on, where } from "./backends.ts";
import { onEngines } from "./on_engines.ts";
import { test } from "../suite.ts";

type Options = DynamicsOptions;
const bath = { dt: 1, temperature: 20 };

/** Engines that move atoms in different ways. */
const ENGINES: Readonly<Record<string, (options: Options) => Dynamics>> = {
  NVE: (options) => new NVE({ ...options, dt: 1 }),
  NVTLangevin: (options) => new NVTLangevin({ ...options, ...bath, friction: 0.1 }),
  NVTNoseHoover: (options) => new NVTNoseHoover({ ...options, ...bath, thermostatTime: 50 }),
  NVTBussi: (options) => new NVTBussi({ ...options, ...bath, thermostatTime: 50 }),
  FIRE: (options) => new FIRE({ ...options, dt: 0.1 }),
  LBFGS: (options) => new LBFGS(options),
  "LBFGS, by line searches": (options) => new LBFGS({ ...options, lineSearch: true }),
};

/** Three systems, the second of which has a name. */
function systems(): Batch {
  const dimer = (info = {}) =>
    new System({
      symbols: ["Ar", "Ar"],
      positions: [1, 0, 0, 5, 0, 0],
      velocities: [0, 1e-3, 0, 0, 0, 1e-3],
      info,
    });
  return Batch.from([dimer(), dimer({ label: "water_17" }), dimer()]);
}

/** Springs to the origin that break in system 1 after some evaluations; counts the evaluations of all systems. */
function breaking(after: number, counted: { calls: number }, broken: number = NaN) {
  let evaluations = 0;
  return potential(({ system, positions, forces }) => {
    counted.calls++;
    if (system === 1) evaluations++;
    let energy = 0;
    for (const [i, x] of positions.entries()) {
      energy += 0.05 * x * x;
      forces[i]! -= 0.1 * x;
    }
    if (system === 1 && evaluations > after) forces[3] = broken;
    return energy;
  }, { name: "springs" });
}

for (const [engine, make] of Object.entries(ENGINES)) {
  Deno.test(
    `${engine} ends at the step in which forces are not finite, and writes no frame or row of it`,
    on(BACKENDS, async (backend) => {
      for (const frequency of [undefined, 1, 2]) {
        const counted = { calls: 0 }, frames = new MemorySink(), rows: string[] = [];
        const writerFn = (row: object) => void rows.push(JSON.stringify(row));
        const hooks = frequency === undefined ? [] : [
          new SnapshotHook({ sink: frames, frequency }),
          new LoggingHook({ frequency, backend: "custom", writerFn } as never),
        ];
        const model = breaking(4, counted);
        await using md = make({ model, hooks: hooks as never, ...where(backend) });
        const batch = systems();
        const before = bitsOf(batch, undefined, ["positions", "velocities"]);
        const error = await assertRejects(() => md.run(batch, 100_000), DivergedError);
        // The first evaluation is before step 0.
        assertEquals([error.step, [...error.systems], md.stepCount], [3, [1], 3]);
        assertEquals(counted.calls, 3 * 5);
        assertStringIncludes(error.message, "System 1 (water_17) diverged at step 3 of ");
        assertStringIncludes(
          error.message,
          "forces that springs gives are not finite (atom 1 first)",
        );
        assertSameBits(bitsOf(batch, undefined, ["positions", "velocities"]), before);
        if (frequency === undefined) continue;
        const kept = frames.read();
        assertEquals(kept.size, 3 * (frequency === 1 ? 3 : 2));
        for (const { name } of kept.fields()) {
          if (name === "time") continue; // relaxations have none
          assert(Array.from(kept.get(name)).every(Number.isFinite), name);
        }
        assert(!rows.join("").includes("null,"), rows.join(""));
      }
    }),
  );
}

test(
  "forces that are not finite before the first step are reported as such",
  on(BACKENDS, async (backend) => {
    for (const nSteps of [0, 5]) {
      for (const broken of [NaN, Infinity]) {
        const model = breaking(0, { calls: 0 }, broken);
        await using md = new NVE({ model, dt: 2, ...where(backend) });
        const error = await assertRejects(() => md.run(systems(), nSteps), DivergedError);
        assertEquals([error.step, md.stepCount], [-1, 0]);
        assertStringIncludes(error.message, "diverged before the first step of NVE");
        assertStringIncludes(error.message, "(now 2 fs)");
      }
    }
  }),
);

/** A dimer whose bond explodes: each step of 12 fs makes its oscillation larger. */
function exploding(): Batch {
  return Batch.from([new System({ symbols: ["H", "H"], positions: [0, 0, 0, 1.2, 0, 0] })]);
}

Deno.test(
  "bonds and tethers, which have no list of pairs, end a run at its step, alone or visited",
  onEngines(async (backend) => {
    const models = {
      bonds: harmonicBonds([{ atoms: [0, 1], stiffness: 40, length: 0.74 }]),
      tethers: tethers({ stiffness: 40 }),
    };
    for (const [name, model] of Object.entries(models)) {
      const steps: number[] = [];
      for (const frequency of [1, 1_000_000]) {
        await using md = new NVE({
          model,
          dt: 12,
          ...where(backend as EngineBackend),
          hooks: [new SnapshotHook({ sink: new MemorySink(), frequency })],
        });
        const batch = exploding();
        batch.ensure("velocities")[0] = 0.01;
        const error = await assertRejects(() => md.run(batch, 100_000), DivergedError);
        assertEquals(md.stepCount, error.step);
        steps.push(error.step);
      }
      assertEquals(steps[0], steps[1], name);
      assert(steps[0]! > 1 && steps[0]! < 400, `${name}: ${steps[0]}`);
    }
  }),
);

/** Velocity Verlet that spoils the velocities at the end of a step, with forces that are all right. */
function spoiling(from: number): Integrator {
  const scheme = velocityVerlet({ dt: 1 });
  return {
    ...scheme,
    open(state) {
      const { pre, post } = scheme.open(state);
      const weights = state.scratch("spoilt", { dtype: "real", level: "node", initial: Infinity });
      const spoil = call(kick, {
        velocities: state.field("velocities"),
        forces: state.field("forces"),
        weights,
        dt: state.constants("real", Array(state.batch.size).fill(1), "system"),
      });
      return { pre, post: [...post, { ...spoil, every: 1000, phase: from }] };
    },
  };
}

Deno.test(
  "velocities that are not finite at the end of a step end the run there, before anything is written",
  onEngines(async (backend) => {
    for (const frequency of [1, 1000]) {
      const sink = new MemorySink();
      await using md = new Dynamics(spoiling(7), {
        model: tethers({ stiffness: 0.1 }),
        ...where(backend as EngineBackend),
        hooks: [new SnapshotHook({ sink, frequency })],
      });
      const error = await assertRejects(() => md.run(systems(), 50), DivergedError);
      assertEquals(error.step, 7);
      assertStringIncludes(error.message, "velocities are not finite (atom 0 first)");
      assertEquals(sink.length, frequency === 1 ? 3 * 7 : 3);
    }
  }),
);

Deno.test(
  "a system with an infinite energy is never reported as converged, or as done without a step",
  onEngines(async (backend) => {
    // Two atoms in one place that are fixed: all forces on atoms that may move are finite.
    const coincident = () =>
      Batch.from([{ symbols: ["Ar", "Ar", "Ar"], positions: [0, 0, 0, 0, 0, 0, 9, 0, 0] }]);
    const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
    const relaxers = [
      (options: Options) => new FIRE({ ...options, dt: 0.1 }),
      (options: Options) => new LBFGS({ ...options, lineSearch: true }),
    ];
    for (const make of relaxers) {
      for (const nSteps of [0, 50]) {
        const sink = new MemorySink();
        await using opt = make({
          model,
          constraints: [fixAtoms([0, 1])],
          hooks: [ConvergenceHook.fromFmax(0.01), new ConvergedSnapshotHook({ sink })] as never,
          ...where(backend as EngineBackend),
        });
        const error = await assertRejects(() => opt.run(coincident(), nSteps), DivergedError);
        assertStringIncludes(error.message, "the energy that a Lennard-Jones potential gives is");
        assertEquals([error.step, sink.length], [-1, 0]);
      }
    }
  }),
);

test("the error for too many pairs recommends a supercell only for periodic systems", () => {
  const adviceFor = (isPeriodic: boolean) =>
    new DivergedError("NVE", 3, [0], { cause: "pairs", flat: "", isPeriodic }).message
      .split(". ")[1];
  assertEquals(
    [true, false].map(adviceFor),
    [
      'Pass device: "wasm", or use a shorter cutoff or a supercell',
      'Pass device: "wasm", or use a shorter cutoff',
    ],
  );
});
