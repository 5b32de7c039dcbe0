import type { Backend, Program } from "../../src/backend/mod.ts";
import { Batch, ResidentBatch, System } from "../../src/batch/mod.ts";
import { velocityVerlet } from "../../src/dynamics/mod.ts";
import { ACCELERATION } from "../../src/kernels/constants.ts";

/** The updates of velocity Verlet, as the engine does them, without forces. */
export interface Updates {
  readonly atoms: number;
  /** Half a kick and a drift. */
  kickDrift(steps: number): void;
  /** That, and the other half. */
  verlet(steps: number): void;
  /** Throws an `Error` if velocities differ from the expected result of the updates. */
  check(): void;
}

const ATOMS = 100_000, DT = 1e-3, MASS = 39.948;
const FORCE = (k: number) => (k % 7 - 3) * 1e-3, VELOCITY = (k: number) => (k % 13) * 1e-3;

/** Updates of one system with the numbers and the size of the peers' kernel.c. */
export function updates(backend: Backend, atoms: number = ATOMS): Updates {
  const state = new ResidentBatch(batchOf(atoms), backend);
  const { pre, post } = velocityVerlet({ dt: DT }).open(state);
  const programs = [state.prepare(pre), state.prepare([...pre, ...post])] as const;
  let kicks = 0;
  const run = (program: Program, steps: number, halves: number) => {
    backend.run(program, 0, steps);
    kicks += steps * halves;
  };
  return {
    atoms,
    kickDrift: (steps) => run(programs[0], steps, 1),
    verlet: (steps) => run(programs[1], steps, 2),
    check() {
      const velocities = backend.view(state.field("velocities"));
      for (const k of [0, 1, 5, velocities.length - 1]) {
        const expected = VELOCITY(k) + kicks * DT / 2 * ACCELERATION / MASS * FORCE(k);
        if (Math.abs(velocities[k]! - expected) <= 1e-4 * Math.abs(expected) + 1e-7) continue;
        throw new Error(
          `Cannot time updates: they must be done: velocity ${k} is ${
            velocities[k]
          }, not ${expected}`,
        );
      }
    },
  };
}

function batchOf(atoms: number): Batch {
  const each = (value: (k: number) => number) =>
    Float64Array.from({ length: 3 * atoms }, (_, k) => value(k));
  return Batch.from([
    new System({
      symbols: new Array<string>(atoms).fill("Ar"),
      positions: each((k) => k % 97),
      velocities: each(VELOCITY),
      forces: each(FORCE),
      masses: new Float64Array(atoms).fill(MASS),
    }),
  ]);
}
