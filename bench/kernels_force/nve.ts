import {
  type Backend,
  type Buffer,
  call,
  type Pairs,
  type Program,
} from "../../src/backend/mod.ts";
import { clear } from "../../src/kernels/clear.ts";
import { ACCELERATION } from "../../src/kernels/constants.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { kick } from "../../src/kernels/integrate/kick.ts";
import { kickDrift } from "../../src/kernels/integrate/kick_drift.ts";
import { lennardJones } from "../../src/models/pair/lennard_jones.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";
import { ARGON, type Argon } from "./argon.ts";

/** Velocity Verlet over kernels alone: no engine, no hooks. */
export class Nve {
  readonly backend: Backend;
  readonly atoms: number;
  readonly pairs: Pairs;
  readonly positions: Buffer<"real">;
  readonly velocities: Buffer<"real">;
  readonly forces: Buffer<"real">;
  readonly energy: Buffer<"f64">;
  /** One step. */
  readonly step: Program;
  /** The pairs as they should be, and the forces. */
  readonly force: Program;
  /** Energies too. */
  readonly energies: Program;
  #done = 0;

  constructor(backend: Backend, systems: readonly Argon[], skin: number, fs = 1) {
    this.backend = backend;
    this.atoms = systems.reduce((sum, { atoms }) => sum + atoms, 0);
    const offsets = [0];
    for (const { atoms } of systems) offsets.push(offsets.at(-1)! + atoms);
    const i32 = (values: readonly number[]) => this.#filled("i32", values);
    const frame = {
      systems: systems.length,
      offsets: i32(offsets),
      active: i32(systems.map(() => 1)),
      ids: i32(systems.map((_, i) => i)),
      ages: i32(systems.map(() => 0)),
      control: i32(Array(Control.LENGTH).fill(0)),
    };
    this.positions = this.#filled("real", systems.flatMap((s) => [...s.positions]));
    this.velocities = this.#filled("real", systems.flatMap((s) => [...s.velocities]));
    this.forces = backend.alloc("real", 3 * this.atoms);
    this.energy = backend.alloc("f64", systems.length);
    const { positions, velocities, forces, energy } = this;
    const virial = backend.alloc("f64", 9 * systems.length);
    const { mass, epsilon, sigma, cutoff } = ARGON;
    const weights = this.#filled("real", Array(this.atoms).fill(ACCELERATION / mass));
    const dt = this.#filled("real", systems.map(() => fs));
    const cell = this.#filled(
      "real",
      systems.flatMap(({ edge: e }) => [e, 0, 0, 0, e, 0, 0, 0, e]),
    );
    const [c12, c6] = [4 * epsilon * sigma ** 12, 4 * epsilon * sigma ** 6];
    const shift = c12 / cutoff ** 12 - c6 / cutoff ** 6;
    const parameters = this.#filled("real", [c12, c6, cutoff ** 2, shift]);
    const pairs = this.pairs = backend.pairs(frame, { cutoff, skin });
    const pbc = i32(systems.flatMap(() => [1, 1, 1]));
    const find = call(neighbors, { pairs, positions, cell, pbc, images: undefined });
    const cleared = call(clear, { forces, energy, virial });
    const lj = (want: number) =>
      call(lennardJones.kernel, {
        pairs,
        positions,
        cell,
        images: undefined,
        species: undefined,
        parameters,
        forces,
        energy,
        virial,
        switchWidth: 0,
        want,
      });
    const [first, second] = [
      call(kickDrift, { positions, velocities, forces, weights, dt }),
      call(kick, { velocities, forces, weights, dt }),
    ];
    this.step = backend.prepare(frame, [first, find, cleared, lj(0), second]);
    this.force = backend.prepare(frame, [find, cleared, lj(0)]);
    this.energies = backend.prepare(frame, [find, cleared, lj(3)]);
    backend.run(this.energies, 0, 1);
  }

  /** Goes on for some steps. */
  run(steps: number): void {
    this.backend.run(this.step, this.#done, steps);
    this.#done += steps;
  }

  /** Multiplies all velocities so that the temperature becomes this one. K. */
  rescale(temperature: number, boltzmann: number): void {
    const v = this.backend.view(this.velocities);
    let sum = 0;
    for (let i = 0; i < v.length; i++) sum += v[i]! * v[i]!;
    const now = sum * ARGON.mass / ACCELERATION / (v.length * boltzmann);
    for (let i = 0; i < v.length; i++) v[i]! *= Math.sqrt(temperature / now);
  }

  /** Returns the total number of rebuilds of the neighbor lists. */
  builds(): number {
    const { builds } = this.backend.savePairs(this.pairs) as { builds: Int32Array };
    return builds.reduce((sum, n) => sum + n, 0);
  }

  #filled<D extends "i32" | "real">(dtype: D, values: readonly number[]): Buffer<D> {
    const buffer = this.backend.alloc(dtype, values.length);
    this.backend.write(buffer, values);
    return buffer;
  }
}
