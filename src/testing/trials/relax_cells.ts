/** Trials of kernels for the relaxation of cells. */
import { call } from "../../backend/backend.ts";
import { deform } from "../../kernels/cells/deform.ts";
import { strainForces } from "../../kernels/cells/strain_forces.ts";
import { normals } from "../lab.ts";
import type { Trials } from "../trial.ts";
import { cellOf, type Member, seed, type World } from "../world.ts";

/** Returns a symmetric strain of a few percent, in the units of the kernels. */
function strainOf({ id, size }: Member): number[] {
  const [a, b, c, d, e, f] = normals(6, seed(70, id), 0.05 * Math.sqrt(Math.max(1, size)));
  return [a!, b!, c!, b!, d!, e!, c!, e!, f!].map(Math.fround);
}

function strained(world: World) {
  return {
    strain: world.systems("real", 9, strainOf),
    // A third of the systems has a cell that differs from the one computed last.
    reference: world.systems("real", 18, (member) => {
      const now = cellOf(member);
      return [
        ...now.map((x) => Math.fround(0.98 * x)),
        ...now.map((x) => Math.fround(x + member.id % 3 % 2)),
      ];
    }),
  };
}

/** Trials of cell relaxation, by kernel. */
export const RELAX_CELLS: Trials = {
  strain_forces(world) {
    const state = strained(world);
    const pulled = world.atoms("real", 3, ({ size }) => new Array(3 * size).fill(0));
    const cellForces = world.systems("real", 9, () => new Array(9).fill(1));
    const enthalpy = world.systems("f64", 1, () => [1]);
    const args = {
      forces: world.atom("forces"),
      cell: world.system("cell"),
      pbc: world.whole("pbc"),
      virial: world.systems("f64", 9, ({ id, size }) => normals(9, seed(71, id), size)),
      energy: world.systems("f64", 1, ({ id }) => [-1000 / (id + 1)]),
      parameters: world.systems("f64", 2, ({ id }) => [0.01 * (id % 4), id % 2]),
      ...state,
      cellForces,
      pulled,
      enthalpy,
      first: 0,
      end: 0,
    };
    const staged = world.systems("real", 9, () => new Array(9).fill(1));
    const stage = world.systems("i32", 1, ({ id }) => [id % 4]);
    const none = { pulled: undefined, enthalpy: undefined, energy: undefined };
    const ofStages = { ...args, ...none, cellForces: staged, stage, first: 1, end: 3 };
    return {
      calls: [call(strainForces, args), call(strainForces, ofStages)],
      looks: { ...state, cellForces, pulled, enthalpy, staged },
      always: ["cellForces", "enthalpy", "staged"],
    };
  },
  deform(world) {
    const { strain, reference } = strained(world);
    const looks = {
      positions: world.atom("positions"),
      cell: world.system("cell"),
      moved: world.atoms("real", 3, ({ size, id }) => normals(3 * size, seed(72, id), 0.1)),
      strained: world.systems("real", 9, (member) => strainOf(member).map((x) => -0.25 * x)),
      strain,
    };
    return { calls: [call(deform, { ...looks, reference })], looks };
  },
};
