/** Trials of kernels of FIRE. */
import { call } from "../../backend/backend.ts";
import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import { fire2Step } from "../../kernels/relax/fire2_step.ts";
import { fireStep } from "../../kernels/relax/fire_step.ts";
import { normals } from "../lab.ts";
import type { Trial, Trials } from "../trial.ts";
import { seed, type World } from "../world.ts";

const PARAMETERS = [TIME_UNIT_FS, 0.02 * TIME_UNIT_FS, 0.2, 5, 0.5, 1.1, 0.1, 0.99];

/** Returns buffers with the state of FIRE that is kept between steps. */
function stateOf(world: World) {
  return {
    dt: world.systems("f64", 1, ({ id }) => [0.3 + 0.01 * (id % 16)]),
    alpha: world.systems("f64", 1, () => [0.08]),
    positive: world.systems("i32", 1, ({ id }) => [id % 9]),
  };
}

/** Returns arguments for a relaxation of atoms together with their cells. */
function withCells(world: World) {
  const atoms = (kind: number, width: number) =>
    world.atoms("real", 3, ({ size, id }) => normals(3 * size, seed(kind, id), width));
  const cells = (kind: number, width: number) =>
    world.systems("real", 9, ({ id }) => normals(9, seed(kind, id), width));
  return {
    positions: atoms(60, 1),
    velocities: atoms(61, 1e-2),
    forces: atoms(62, 1),
    cellPositions: cells(63, 1),
    cellVelocities: cells(64, 1e-2),
    cellForces: cells(65, 1),
  };
}

/** Runs three steps, so that the state between them is tested, with and without cells. */
function relaxing(isFire2: boolean): Trial {
  return (world) => {
    const [positions, velocities] = [world.atom("positions"), world.atom("velocities")];
    const parameters = world.systems("f64", 8, () => PARAMETERS);
    const [state, other, cells] = [stateOf(world), stateOf(world), withCells(world)];
    const moved = { positions, velocities, forces: world.atom("forces"), ...state, parameters };
    const along = { ...cells, ...other, parameters };
    const weights = world.atom("weights");
    const steps = isFire2
      ? [call(fire2Step, moved), call(fire2Step, along)]
      : [call(fireStep, { ...moved, weights }), call(fireStep, { ...along, weights })];
    const { cellPositions, cellVelocities } = cells;
    return {
      calls: [...steps, ...steps, ...steps],
      looks: { positions, velocities, ...state, cellPositions, cellVelocities },
    };
  };
}

/** Trials of FIRE, by kernel. */
export const RELAX: Trials = { fire_step: relaxing(false), fire2_step: relaxing(true) };
