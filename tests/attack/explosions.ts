/**
 * Runs that explode.
 *
 * @module
 */

import { Batch, fcc, initVelocities, rattle } from "../../src/batch/mod.ts";
import { DivergedError, type Dynamics } from "../../src/dynamics/mod.ts";
import { harmonicBonds, lennardJones, type Model, morse } from "../../src/models/mod.ts";
import { SnapshotHook } from "../../src/observe/mod.ts";
import { openSink } from "../../src/sinks/mod.ts";
import { atomEngines } from "../dynamics/atom_engines.ts";
import { ALL_BACKENDS, lacksBackend, openOn } from "../kernels/lab.ts";
import type { Attack, Trial } from "./attack.ts";

const STEPS = 60;

/** A finite run at a temperature above this must have been warned of, K. */
const HOT = 1e5;

const ENGINES = atomEngines((dt) => ({
  temperature: 100,
  friction: 0.01,
  thermostatTime: 10 * dt,
  barostatTime: 50 * dt,
}));

/** Engines whose velocities are no temperature. */
const RELAXERS: readonly string[] = ["FIRE", "FIRE2", "LBFGS"];

/** Returns whether an engine takes its dt in Å·√(amu/eV), of which at most 10 are allowed. */
function isFire(engine: string): boolean {
  return /^FIRE/.test(engine);
}

const MODELS: Readonly<Record<string, Model>> = {
  "Lennard-Jones": lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 7 }),
  Morse: morse({ depth: 0.3, width: 1.1, distance: 3.5, cutoff: 7 }),
  bonds: harmonicBonds([{ atoms: [0, 1], length: 1, stiffness: 40 }]),
};

/** Crystals from a little to absurdly distorted, with velocities to match. */
function systems(trial: Trial): Batch {
  const distortion = 10 ** (2 * trial.random() - 1.5);
  const batch = Batch.from(
    [0, 1].map((i) =>
      rattle(
        fcc({ element: "Ar", a: 5.3, cells: 2 }),
        i === 0 ? distortion : 0.05,
        trial.below(1e6),
      )
    ),
  );
  initVelocities(batch, 10 ** (6 * trial.random()), { seed: trial.below(1e6) });
  return batch;
}

function isFinite(values: ArrayLike<number>): boolean {
  return Array.prototype.every.call(values, Number.isFinite);
}

/** Runs one explosion; returns what came of it. */
async function explode(
  trial: Trial,
  engine: string,
  model: string,
  backend: string,
): Promise<string> {
  const folder = await Deno.makeTempDir(), warnings: unknown[] = [];
  try {
    const path = `${folder}/frames.xyz`,
      most = isFire(engine) ? 10 : 100,
      dt = most * 10 ** (3 * (trial.random() - 1));
    const sink = await openSink(path);
    await using md = ENGINES[engine]!({
      model: MODELS[model]!,
      backend: await openOn(backend),
      hooks: [new SnapshotHook({ sink, frequency: 1 + trial.below(9) })],
      onWarning: (warning) => void warnings.push(warning),
    }, dt);
    const batch = systems(trial);
    const outcome = await end(md, batch);
    await sink.close().catch(() => {}); // refused files are looked at below
    await checkFrames(path);
    if (outcome !== "completed") return outcome;
    for (const name of ["positions", "velocities", "forces", "energy"] as const) {
      if (batch.has(name) && !isFinite(batch.get(name))) {
        throw new Error(`completed with ${name} that are not finite`);
      }
    }
    const isHot = !RELAXERS.includes(engine) && hottest(batch) > HOT;
    if (isHot && warnings.length === 0) {
      throw new Error(`completed at ${hottest(batch)} K with no word, dt ${dt}`);
    }
    return warnings.length > 0 ? "completed with a warning" : "completed";
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function end(md: Dynamics, batch: Batch): Promise<string> {
  try {
    await md.run(batch, STEPS);
    return md.outcome?.status === "completed" ? "completed" : "stopped";
  } catch (error) {
    if (error instanceof DivergedError && error.step < STEPS) return "diverged, at a step";
    if (error instanceof Error && /Try|dt|too close|cutoff|cell/.test(error.message)) {
      return "refused";
    }
    throw error;
  }
}

/** Throws unless all frames of a file are there to be read, and finite. */
async function checkFrames(path: string): Promise<void> {
  const sink = await openSink(path);
  try {
    if (sink.length === 0) return;
    const frames = await sink.read();
    for (const name of ["positions", "velocities", "forces"] as const) {
      if (frames.has(name) && !isFinite(frames.get(name))) {
        throw new Error(`a frame has ${name} that are not finite`);
      }
    }
  } finally {
    await sink.close();
  }
}

/** The highest temperature of a system, K. */
function hottest(batch: Batch): number {
  const masses = batch.get("masses"), velocities = batch.get("velocities");
  const kinetic = new Float64Array(batch.size);
  velocities.forEach((v, i) => {
    const atom = Math.floor(i / 3);
    kinetic[batch.systemOfNode[atom]!]! += masses[atom]! * v * v / 2;
  });
  const perKelvin = 1.5 * 8.617333262e-5 / 103.642697;
  return kinetic.reduce(
    (most, energy, s) =>
      Math.max(most, energy / perKelvin / (batch.nodeOffsets[s + 1]! - batch.nodeOffsets[s]!)),
    0,
  );
}

/** Engines with absurd time steps, structures and velocities. */
export const EXPLOSION_ATTACK: Attack = {
  name: "explosions",
  aim:
    "runs absurd time steps, structures and velocities; an explosion must cause a warning or an error that names the step, and frames must be finite",
  cases: 2000,
  async run(trial) {
    const engines = Object.keys(ENGINES), models = Object.keys(MODELS);
    for (let i = 0; trial.tried < trial.cases; i++) {
      const engine = engines[i % engines.length]!, model = trial.pick(models);
      const backend = trial.pick(ALL_BACKENDS);
      if (lacksBackend(backend)) continue;
      try {
        trial.count(await explode(trial, engine, model, backend));
      } catch (error) {
        trial.fail(
          `${engine}, ${model}, ${backend}: ${error instanceof Error ? error.stack : error}`,
        );
      }
    }
  },
};
