/** Atoms, potentials and hooks that the tests of the engines run. */
import { assertEquals } from "@std/assert";
import {
  Batch,
  type BuiltInName,
  fcc,
  initVelocities,
  rattle,
  System,
} from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { lennardJones, type Model, potential } from "../../src/models/mod.ts";
import { type EngineBackend, where } from "./backends.ts";

export { assertNear } from "../../src/testing/mod.ts";

/** Argon's Lennard-Jones potential; 2 × 2 × 2 cells of the crystal are smaller than its reach. */
export const ARGON: Model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });

/** An argon crystal of 4 `cells`³ atoms, each moved by about 0.1 Å as the seed says. */
export function argon(cells: number, seed: number, stdev = 0.1): System {
  return rattle(fcc({ element: "Ar", a: 5.26, cells }), stdev, seed);
}

/** Crystals of 32 atoms, each rattled in its own way, with velocities of this temperature. */
export function crystals(count: number, temperature = 40): Batch {
  const batch = Batch.from(Array.from({ length: count }, (_, seed) => argon(2, seed)));
  batch.ensure("status");
  if (temperature > 0) initVelocities(batch, temperature, { seed: 1 });
  return batch;
}

/** One atom of 1 amu on the x axis. */
export function atomAt(x: number): Batch {
  return Batch.from([new System({ symbols: ["H"], positions: [x, 0, 0], masses: [1] })]);
}

/** A spring of this stiffness (eV/Å²) from each atom to the origin, along x alone. */
export function spring(stiffness: number): Model {
  return potential(({ positions, forces }) => {
    let energy = 0;
    for (let i = 0; i < positions.length; i += 3) {
      const x = positions[i]!;
      energy += stiffness * x * x / 2;
      forces[i]! -= stiffness * x;
    }
    return energy;
  }, { name: "a spring" });
}

/** The same force along x on each atom, eV/Å. */
export function push(force: number): Model {
  return potential(({ positions, forces }) => {
    let energy = 0;
    for (let i = 0; i < positions.length; i += 3) {
      energy -= force * positions[i]!;
      forces[i]! += force;
    }
    return energy;
  }, { name: "a push" });
}

/** Fields that a run changes. */
export const MOVING: readonly BuiltInName[] = [
  "positions",
  "velocities",
  "forces",
  "energy",
  "status",
  "stepsDone",
];

/** The values of the existing fields, of one system or of all, for bitwise comparison. */
export function bitsOf(
  batch: Batch,
  place?: number,
  names: readonly BuiltInName[] = MOVING,
): Record<string, number[]> {
  const one = place === undefined ? batch : Batch.from([batch.system(place)]);
  const there = names.filter((name) => one.has(name));
  return Object.fromEntries(there.map((name) => [name, Array.from(one.get(name))]));
}

/** Throws where values differ in a bit, with the first that do. */
export function assertSameBits(
  actual: Readonly<Record<string, number[]>>,
  expected: Readonly<Record<string, number[]>>,
  message = "",
): void {
  assertEquals(Object.keys(actual).sort(), Object.keys(expected).sort(), message);
  for (const [name, values] of Object.entries(expected)) {
    assertEquals(actual[name]!.length, values.length, `${message} ${name}`);
    const at = values.findIndex((value, i) => !Object.is(value, actual[name]![i]));
    if (at === -1) continue;
    throw new Error(`${message} ${name}[${at}] is ${actual[name]![at]}, not ${values[at]}`);
  }
}

/** A hook that does nothing, at every stage of every step: no step is done without a visit. */
export function idle(): ReturnType<typeof hook> {
  return hook({ name: "idle", frequency: 1, on: { dynamics: { "*": () => {} } } });
}

/** Results of a model for unchanged atoms. */
export interface Evaluated {
  /** eV, per system. */
  readonly energy: number[];
  /** eV/Å, three per atom. */
  readonly forces: number[];
  /** eV/Å³, nine per system. */
  readonly stress: number[];
}

/** Energies, forces and stresses of atoms as they are: a run of no steps. */
export async function evaluate(
  model: Model,
  systems: Batch | readonly System[],
  backend: EngineBackend = "reference",
): Promise<Evaluated> {
  const batch = Batch.from(systems);
  batch.ensure("stress");
  await using md = new NVE({ model, dt: 1, ...where(backend) });
  await md.run(batch, 0);
  const { energy, forces, stress } = bitsOf(batch, undefined, ["energy", "forces", "stress"]);
  return { energy: energy!, forces: forces!, stress: stress! };
}
