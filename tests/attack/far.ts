/**
 * Systems far from the origin.
 *
 * @module
 */

import { Batch, fcc, initVelocities, rattle } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { ALL_BACKENDS, lacksBackend, openOn } from "../kernels/lab.ts";
import type { Attack, Trial } from "./attack.ts";

const DISTANCES: readonly number[] = [0, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];
const MODEL = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });

/** Largest accepted error of forces, relative to the largest force. */
const TOLERANCE = 1e-6;

/** Steps over which the drift of the energy is compared. */
const STEPS = 200;

/** Positions that float32 knows exactly near the origin, and float64 at every distance of the series. */
const exact = (x: number) => Math.round(x * 2 ** 16) / 2 ** 16;

/** A crystal or a droplet, so far away along a random direction. */
function place(trial: Trial, seed: number, isPeriodic: boolean, distance: number): Batch {
  const crystal = rattle(fcc({ element: "Ar", a: 5.3, cells: 2 }), 0.1, seed);
  const direction = [0, 1, 2].map(() => trial.random() - 0.5);
  const scale = distance / Math.hypot(...direction);
  const positions = crystal.positions.map((x, i) =>
    exact(x) + Math.round(scale * direction[i % 3]!)
  );
  const { symbols, cell } = crystal;
  const batch = Batch.from([
    isPeriodic ? { symbols, positions, cell: [...cell] } : { symbols, positions },
  ]);
  initVelocities(batch, 30, { seed });
  return batch;
}

interface Result {
  readonly forces: Float64Array;
  /** Change of the total energy per atom, eV. */
  readonly drift: number;
}

async function run(batch: Batch, name: string): Promise<Result> {
  await using md = new NVE({ model: MODEL, dt: 2, backend: await openOn(name) });
  const start = await md.run(batch, 0);
  const forces = Float64Array.from(start.get("forces"));
  const before = total(start);
  return { forces, drift: Math.abs(total(await md.run(batch, STEPS)) - before) / batch.nodeCount };
}

function total(batch: Batch): number {
  const masses = batch.get("masses"), velocities = batch.get("velocities");
  const kinetic = velocities.reduce((sum, v, i) => sum + masses[Math.floor(i / 3)]! * v * v, 0) / 2;
  return batch.get("energy")[0]! + kinetic * 103.642697;
}

async function compare(trial: Trial, name: string, seed: number): Promise<void> {
  const isPeriodic = seed % 2 === 0;
  const near = await run(place(trial, seed, isPeriodic, 0), name);
  const largest = near.forces.reduce((most, f) => Math.max(most, Math.abs(f)), 0);
  for (const distance of DISTANCES) {
    await trial.attempt(
      `${distance} Å away on ${name}, seed ${seed}`,
      "as at the origin",
      async () => {
        const far = await run(place(trial, seed, isPeriodic, distance), name);
        const off = far.forces.reduce((most, f, i) =>
          Math.max(most, Math.abs(f - near.forces[i]!)), 0) / largest;
        if (!(off <= TOLERANCE)) {
          throw new Error(`forces are off by ${off}`);
        }
        if (!(far.drift <= 2 * near.drift + 1e-6)) {
          throw new Error(`the energy drifts by ${far.drift}, and by ${near.drift} at the origin`);
        }
      },
    );
  }
}

/** The same system at growing distances. */
export const FAR_ATTACK: Attack = {
  name: "far",
  aim:
    "moves a crystal or droplet up to 1e7 Å away; forces must agree to 1e-6 with those at the origin, and the drift of NVE must be the same",
  cases: 420,
  async run(trial) {
    for (let seed = 1; trial.tried < trial.cases; seed++) {
      for (const name of ALL_BACKENDS) {
        if (!lacksBackend(name)) await compare(trial, name, seed);
      }
    }
  },
};
