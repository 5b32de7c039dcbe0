/**
 * Batches to measure: from the inputs that ours and the peers share, or crystals of our own.
 *
 * @module
 */

import { Batch, fcc, initVelocities, System } from "../../src/batch/mod.ts";
import { lennardJones, type Model } from "../../src/models/mod.ts";

/** Argon, as in the peers' benchmarks: eV, Å. */
export const ARGON = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } as const;

/** The edge of a cubic cell of the crystal, Å, and its temperature to begin with, K. */
const EDGE = 5.26, KELVIN = 80;

/** Content of a file that bench/peers/inputs.py writes. Lengths are in Å, velocities in Å/fs. */
interface SharedInput {
  readonly systems: readonly {
    readonly n: number;
    readonly cell: readonly number[];
    readonly positions: readonly number[];
    readonly velocities: readonly number[];
  }[];
}

/** The model of all cases. @default skin that of the model */
export function argonModel(skin?: number): Model {
  return lennardJones({ ...ARGON, ...skin !== undefined && { skin } });
}

/**
 * The batch of an input file, the atoms of each system in an order that says nothing of where they are: in the
 * file they are in the order of the lattice.
 */
export async function readInput(path: string): Promise<Batch> {
  const { systems }: SharedInput = JSON.parse(await Deno.readTextFile(path));
  return Batch.from(systems.map(({ n, cell, positions, velocities }, i) => {
    const symbols = new Array<string>(n).fill("Ar");
    return shuffled(new System({ symbols, cell, positions, velocities }), i);
  }));
}

/** Crystals of 4 `cells`³ atoms at 80 K, the atoms in no order. */
export function crystals(cells: number, systems = 1): Batch {
  const one = fcc({ element: "Ar", a: EDGE, cells });
  const batch = Batch.from(Array.from({ length: systems }, (_, i) => shuffled(one, i)));
  initVelocities(batch, KELVIN, { seed: 1 });
  return batch;
}

/** The same atoms in another order; equal seeds give equal orders. */
export function shuffled(system: System, seed: number): System {
  const order = permutation(system.nodeCount, seed);
  const rows = (name: "positions" | "velocities") => {
    const values = system.get(name);
    return order.flatMap((atom) => [...values.subarray(3 * atom, 3 * atom + 3)]);
  };
  const { symbols } = system;
  return new System({
    symbols: order.map((atom) => symbols[atom]!),
    positions: rows("positions"),
    cell: system.cell,
    ...system.has("velocities") && { velocities: rows("velocities") },
  });
}

function permutation(n: number, seed: number): number[] {
  const random = uniform(seed);
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** Numbers from 0 to 1 (mulberry32). */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = state + 0x6D2B79F5 | 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
}
