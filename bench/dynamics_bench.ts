/**
 * Measures simulations and prints quick figures: `deno bench -A bench/dynamics_bench.ts`. All bodies of a group do
 * the same number of atom-steps on the wasm backend, so their times can be compared. They should not depend on the
 * size or the number of systems. `deno task bench:table dynamics` measures the promises.
 *
 * @module
 */

import type { Batch } from "../src/batch/mod.ts";
import { type Dynamics, FIRE, FIRE2, NVE, NVTLangevin } from "../src/dynamics/mod.ts";
import {
  AverageStressHook,
  DiffusionHook,
  RadialDistributionHook,
  VelocityAutocorrelationHook,
} from "../src/observe/mod.ts";
import { argonModel, crystals } from "./dynamics/input.ts";
import { observers } from "./dynamics/observers.ts";

/** Atoms times steps of a body: 80 ms or so; and where the many atoms of one system have to come over and home. */
const ATOM_STEPS = 864_000, LONG = 4 * ATOM_STEPS;

/** Any engine, whatever its hooks. */
interface Engine {
  readonly run: Dynamics["run"];
}

const model = argonModel();

function nve(hooks: ReturnType<typeof observers> = []): Engine {
  return new NVE({ model, dt: 1, hooks });
}

/** An engine and a batch that is run repeatedly. */
interface Body {
  readonly engine: Engine;
  readonly batch: Batch;
  readonly baseline?: boolean;
  /** @default ATOM_STEPS */
  readonly atomSteps?: number;
}

async function register(
  group: string,
  name: string,
  { engine, batch, baseline = false, atomSteps = ATOM_STEPS }: Body,
): Promise<void> {
  const steps = Math.round(atomSteps / batch.nodeCount);
  await engine.run(batch, Math.min(steps, 100));
  Deno.bench({ group, name, baseline, fn: async () => void await engine.run(batch, steps) });
}

for (const cells of [6, 10, 20, 30]) {
  const batch = crystals(cells), name = `${batch.nodeCount} atoms`;
  const body = { engine: nve(), batch, baseline: cells === 10, atomSteps: LONG };
  await register("NVE by size", name, body);
}

const engines: Readonly<Record<string, Engine>> = {
  NVE: nve(),
  NVTLangevin: new NVTLangevin({ model, dt: 1, temperature: 80, friction: 0.01, seed: 1 }),
  FIRE: new FIRE({ model, dt: 0.1 }),
  FIRE2: new FIRE2({ model, dt: 0.1 }),
};
for (const [name, engine] of Object.entries(engines)) {
  const batch = crystals(10);
  await register("engines, 4000 atoms", name, { engine, batch, baseline: name === "NVE" });
}

for (const systems of [1, 4, 16, 64, 256]) {
  const batch = crystals(2, systems), name = `${systems} × 32 atoms`;
  await register("NVE by count", name, { engine: nve(), batch, baseline: systems === 1 });
}

const hooks: Readonly<Record<string, Engine>> = {
  "none": nve(),
  "8 observers, none due": nve(observers(1e9)),
  "8 observers every 10 steps": nve(observers(10)),
  "8 observers every step": nve(observers(1)),
};
for (const [name, engine] of Object.entries(hooks)) {
  const batch = crystals(3, 64);
  await register("hooks, 64 × 108 atoms", name, { engine, batch, baseline: name === "none" });
}

const observables: Readonly<Record<string, Engine>> = {
  "none": nve(),
  "stress": new NVE({ model, dt: 1, hooks: [new AverageStressHook()] }),
  "displacements, 100 lags": new NVE({ model, dt: 1, hooks: [new DiffusionHook()] }),
  "velocities, 100 lags": new NVE({ model, dt: 1, hooks: [new VelocityAutocorrelationHook()] }),
  "distances to 6 Å": new NVE({
    model,
    dt: 1,
    hooks: [new RadialDistributionHook({ cutoff: 6 })],
  }),
};
for (const [name, engine] of Object.entries(observables)) {
  const batch = crystals(2, 64);
  const group = "observables every 10 steps, 64 × 32 atoms";
  await register(group, name, { engine, batch, baseline: name === "none" });
}
