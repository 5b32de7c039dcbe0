/** Trials of kernels that compute properties of systems. They also run for inactive systems. */
import { call } from "../../backend/backend.ts";
import { checkFinite } from "../../kernels/check_finite.ts";
import { conservedEnergy } from "../../kernels/measure/conserved_energy.ts";
import { energyChange } from "../../kernels/measure/energy_change.ts";
import { fmax } from "../../kernels/measure/fmax.ts";
import { kineticEnergy } from "../../kernels/measure/kinetic_energy.ts";
import { stress } from "../../kernels/measure/stress.ts";
import { temperature } from "../../kernels/measure/temperature.ts";
import { normals } from "../lab.ts";
import type { Trials } from "../trial.ts";
import { seed, type World } from "../world.ts";

/** Returns a buffer with one number per system, which a kernel overwrites. */
function ones(world: World) {
  return world.systems("f64", 1, () => [1]);
}

/** Trials of properties of systems, by kernel. */
export const MEASURE: Trials = {
  check_finite(world) {
    const args = {
      positions: world.atom("positions"),
      velocities: world.atom("velocities"),
      forces: world.atoms("real", 3, ({ size }) => Array(3 * size).fill(3e38)),
      cell: world.system("cell"),
      energy: world.systems("f64", 1, ({ id }) => [-1e30 * id]),
    };
    // All numbers are finite here. tests/kernels/check_finite_test.ts tests non-finite ones.
    const found = async () => {
      const control = await world.lab.read(world.lab.frame.control);
      return world.members.map(() => [...control]);
    };
    return { calls: [call(checkFinite, args)], looks: { found }, always: ["found"] };
  },
  fmax(world) {
    const found = ones(world);
    const args = { forces: world.atom("forces"), fmax: found };
    const withCell = ones(world);
    const cellForces = world.systems("real", 9, ({ id }) => normals(9, seed(32, id), id % 3));
    const staged = ones(world);
    const stages = {
      stage: world.systems("i32", 1, ({ id }) => [id % 4]),
      drives: world.lab.i32([1, 0, 1], "all"),
    };
    const cells = { ...args, cellForces };
    return {
      calls: [
        call(fmax, args),
        call(fmax, { ...cells, fmax: withCell }),
        call(fmax, { ...cells, ...stages, fmax: staged }),
      ],
      looks: { fmax: found, withCell, staged },
      always: ["fmax", "withCell", "staged"],
    };
  },
  kinetic_energy(world) {
    const kinetic = ones(world);
    const args = { velocities: world.atom("velocities"), weights: world.atom("weights"), kinetic };
    return { calls: [call(kineticEnergy, args)], looks: { kinetic }, always: ["kinetic"] };
  },
  temperature(world) {
    const found = ones(world);
    const kinetic = world.systems("f64", 1, ({ id }) => [0.1 * id]);
    const freedom = world.systems("i32", 1, ({ size }) => [3 * size]);
    const args = { kinetic, freedom, temperature: found }, staged = ones(world);
    const resting = world.systems("i32", 1, ({ size }) => [3 * size - 3]);
    const stage = world.systems("i32", 1, ({ id }) => [id % 4]);
    const keeps = world.lab.i32([1, 0, 1], "all");
    return {
      calls: [
        call(temperature, args),
        call(temperature, { ...args, resting, stage, keeps, temperature: staged }),
      ],
      looks: { temperature: found, staged },
      always: ["temperature", "staged"],
    };
  },
  conserved_energy(world) {
    const conserved = ones(world);
    const given = (kind: number) =>
      world.systems("f64", 1, ({ id }) => normals(1, seed(kind, id), 100));
    const args = { energy: given(32), kinetic: given(33), bathEnergy: given(34), conserved };
    return { calls: [call(conservedEnergy, args)], looks: { conserved }, always: ["conserved"] };
  },
  energy_change(world) {
    const change = ones(world);
    const energy = world.systems("f64", 1, ({ id }) => [-1000 / (id + 1)]);
    const previous = world.systems(
      "f64",
      1,
      ({ id }) => [id % 5 === 1 ? NaN : -1000 / (id + 1) + 1e-9],
    );
    return {
      calls: [call(energyChange, { energy, previous, change })],
      looks: { change, previous },
    };
  },
  stress(world) {
    const virial = world.systems("f64", 9, ({ id }) => normals(9, seed(30, id)));
    const found = world.systems("f64", 9, ({ id }) => normals(9, seed(31, id)));
    const args = { virial, cell: world.system("cell"), stress: found };
    return { calls: [call(stress, args)], looks: { stress: found }, always: ["stress"] };
  },
};
