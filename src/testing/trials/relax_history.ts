/** Trials of the kernel of L-BFGS. */
import { call } from "../../backend/backend.ts";
import {
  LbfgsCount,
  LbfgsMemory,
  LbfgsParameter,
  lbfgsStep,
} from "../../kernels/relax/lbfgs_step.ts";
import { normals } from "../lab.ts";
import type { Trials } from "../trial.ts";
import { seed, type World } from "../world.ts";

const DEPTH = 2, ROWS = DEPTH + 1;

/**
 * Returns buffers with the forces on atoms and cells and the energies at a step. The forces are approximately those
 * of springs, so that most pairs of the history are kept, and become weaker from step to step.
 */
function forcesAt(world: World, step: number) {
  const at = (count: number, id: number) => {
    const [base, noise] = [
      normals(count, seed(4, id), 1),
      normals(count, seed(40 + step, id), 0.2),
    ];
    return base.map((x, k) => Math.fround((1 - 0.2 * step) * x + noise[k]!));
  };
  return {
    forces: world.atoms("real", 3, ({ size, id }) => at(3 * size, id)),
    cellForces: world.systems("real", 9, ({ id }) => at(9, id)),
    // For some systems the energy rises, so that their steps are shortened.
    energy: world.systems("f64", 1, ({ id }) => [id % 3 === 1 && step === 2 ? 1e6 : -1e4 * step]),
  };
}

/** Trial of L-BFGS. */
export const RELAX_HISTORY: Trials = {
  lbfgs_step(world) {
    const positions = world.atom("positions");
    const cellPositions = world.systems("real", 9, ({ id }) => normals(9, seed(50, id)));
    const history = world.atoms(
      "real",
      6 * ROWS,
      ({ size, id }) => normals(6 * ROWS * size, seed(51, id), 0.1),
    );
    const cellHistory = world.systems("real", 18 * ROWS, () => new Array(18 * ROWS).fill(0));
    const memory = world.systems("f64", ROWS + LbfgsMemory.LENGTH, () => [0, 0, 0, 0, 0, 0]);
    const counts = world.systems("i32", LbfgsCount.LENGTH, () => [0, 0, 0]);
    const parameters = world.systems("f64", LbfgsParameter.LENGTH, () => [8, 0.9, 0.2]);
    const state = { positions, history, memory, counts, parameters, depth: DEPTH, cellPositions };
    const calls = [0, 1, 2, 3, 4].map((step) =>
      call(lbfgsStep, { ...state, cellHistory, ...forcesAt(world, step) })
    );
    // Except for the last row of forces, the history matters only as a whole, so compare its effect on the step.
    return { calls, looks: { positions, cellPositions, counts } };
  },
};
