/**
 * Odd cells, compared with a sum over all images.
 *
 * @module
 */

import { Batch } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { lennardJones, type Model, morse } from "../../src/models/mod.ts";
import { bruteForce, type Row } from "../batch/neighbors_brute.ts";
import { ALL_BACKENDS, lacksBackend, openOn } from "../kernels/lab.ts";
import type { Attack, Trial } from "./attack.ts";

const CUTOFF = 6;

/**
 * Largest accepted error of energies and forces, relative to the largest term, because positions and forces are
 * float32.
 */
const TOLERANCE = 2e-5;

/** A potential, and its pair energy and the slope of it, written out. */
interface Potential {
  readonly name: string;
  readonly model: Model;
  energy(r: number): number;
  slope(r: number): number;
}

const LJ = (r: number) => 4 * 0.0104 * ((3.4 / r) ** 12 - (3.4 / r) ** 6);
const MORSE = (r: number) => 0.3 * ((1 - Math.exp(-1.1 * (r - 3.5))) ** 2 - 1);

const POTENTIALS: readonly Potential[] = [
  {
    name: "Lennard-Jones",
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: CUTOFF, truncation: "shift" }),
    energy: (r) => LJ(r) - LJ(CUTOFF),
    slope: (r) => -4 * 0.0104 * (12 * (3.4 / r) ** 12 - 6 * (3.4 / r) ** 6) / r,
  },
  {
    name: "Morse",
    model: morse({ depth: 0.3, width: 1.1, distance: 3.5, cutoff: CUTOFF, truncation: "shift" }),
    energy: (r) => MORSE(r) - MORSE(CUTOFF),
    slope: (r) => {
      const x = Math.exp(-1.1 * (r - 3.5));
      return 2 * 0.3 * 1.1 * x * (1 - x);
    },
  },
];

/** The 24 kinds of cells: flat, skewed, left-handed, tiny, with some periodic directions. */
const SHAPES: readonly ((trial: Trial) => number[])[] = [
  () => [7, 0, 0, 0, 7, 0, 0, 0, 7],
  () => [3, 0, 0, 0, 20, 0, 0, 0, 20],
  () => [20, 0, 0, 0, 3, 0, 0, 0, 3],
  () => [9, 0, 0, 8.5, 3, 0, 0, 0, 9],
  () => [0.9, 5.2, 0.2, 15.9, 0.3, -0.7, 0.4, -0.5, 5.6],
  () => [5, 5, 0, 0, 5, 5, 5, 0, 5],
  () => [-8, 0, 0, 0, -8, 0, 0, 0, -8],
  (trial) =>
    Array.from({ length: 9 }, (_, i) => (i % 4 === 0 ? 9 : 0) + 4 * (trial.random() - 0.5)),
];
const PERIODS = [[1, 1, 1], [1, 0, 1], [0, 0, 1]] as const;

/** Forces and energy of one system by the sum over its pairs. */
function summed(batch: Batch, pairs: readonly Row[], { energy, slope }: Potential) {
  const x = batch.get("positions"), cell = batch.get("cell");
  const forces = new Float64Array(x.length);
  let total = 0, largest = 0;
  for (const [i, j, ...shift] of pairs) {
    const d = [0, 1, 2].map((k) =>
      x[3 * j + k]! - x[3 * i + k]! + shift.reduce((sum, n, l) => sum + n * cell[3 * l + k]!, 0)
    );
    const r = Math.hypot(...d), s = slope(r);
    total += energy(r) / 2;
    largest = Math.max(largest, Math.abs(s), Math.abs(energy(r)));
    for (const [k, dk] of d.entries()) forces[3 * i + k]! += s * dk / r;
  }
  return { forces, total, largest };
}

/** Atoms that are not close to each other, by what the potential makes of their pairs. */
function place(trial: Trial, cell: readonly number[], pbc: readonly (0 | 1)[]): Batch | undefined {
  for (let tries = 0; tries < 200; tries++) {
    const n = 1 + trial.below(6);
    const positions = Array.from({ length: n }, () => {
      const f = [0, 1, 2].map(() => 3 * trial.random() - 1);
      return [0, 1, 2].map((k) => f.reduce((sum, fl, l) => sum + fl * cell[3 * l + k]!, 0));
    }).flat();
    const symbols = Array.from({ length: n }, () => "Ar");
    const batch = Batch.from([{
      symbols,
      positions,
      cell: [...cell],
      pbc: pbc.map((p) => p === 1) as never,
    }]);
    if (bruteForce(batch, 2.6).length === 0) return batch;
  }
  return undefined;
}

async function compare(trial: Trial, batch: Batch, potential: Potential): Promise<void> {
  const pairs = bruteForce(batch, CUTOFF);
  const { forces, total, largest } = summed(batch, pairs, potential);
  const bound = TOLERANCE * Math.max(largest, 1e-3) * Math.max(1, pairs.length / 8);
  for (const name of ALL_BACKENDS) {
    if (lacksBackend(name)) continue;
    const what = `${potential.name} on ${name}: ${
      JSON.stringify([...batch.get("positions")])
    } in ${[...batch.get("cell")]}, ${[...batch.get("pbc")]}`;
    await trial.attempt(what, "equal to the sum", async () => {
      const backend = await openOn(name);
      await using md = new NVE({ model: potential.model, dt: 1, backend });
      const moved = await md.run(batch.clone(), 0);
      const off = Math.abs(moved.get("energy")[0]! - total);
      if (!(off <= bound)) throw new Error(`the energy is off by ${off} of ${total}`);
      const worst = moved.get("forces").reduce(
        (most, f, i) => Math.max(most, Math.abs(f - forces[i]!)),
        0,
      );
      if (!(worst <= bound)) throw new Error(`a force is off by ${worst} of ${largest}`);
    });
  }
}

/** 24 kinds of cells, each potential and each device. */
export const CELL_ATTACK: Attack = {
  name: "odd cells",
  aim:
    "compares energies and forces in 24 kinds of odd cells, on each device, with a sum over all images",
  cases: 2000,
  async run(trial) {
    for (let i = 0; trial.tried < trial.cases; i++) {
      const cell = SHAPES[i % SHAPES.length]!(trial);
      const pbc = PERIODS[Math.floor(i / SHAPES.length) % PERIODS.length]!;
      const batch = place(trial, cell, pbc);
      if (batch === undefined) continue;
      await compare(trial, batch, POTENTIALS[trial.below(POTENTIALS.length)]!);
    }
  },
};
