/** Kernels that bring atoms to where no force is. */
import { call } from "../../backend/backend.ts";
import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import { fire2Step } from "../../kernels/fire2_step.ts";
import { fireStep } from "../../kernels/fire_step.ts";
import type { Trial, Trials } from "../trial.ts";

const PARAMETERS = [TIME_UNIT_FS, 0.02 * TIME_UNIT_FS, 0.2, 5, 0.5, 1.1, 0.1, 0.99];

/** Three steps, so that what is kept from one to the next is tried, too. */
function relaxing(isFire2: boolean): Trial {
  return (world) => {
    const [positions, velocities] = [world.atom("positions"), world.atom("velocities")];
    const dt = world.systems("f64", 1, ({ id }) => [0.3 + 0.01 * (id % 16)]);
    const alpha = world.systems("f64", 1, () => [0.08]);
    const positive = world.systems("i32", 1, ({ id }) => [id % 9]);
    const parameters = world.systems("f64", 8, () => PARAMETERS);
    const moved = { positions, velocities, forces: world.atom("forces") };
    const state = { dt, alpha, positive, parameters };
    const step = isFire2
      ? call(fire2Step, { ...moved, ...state })
      : call(fireStep, { ...moved, weights: world.atom("weights"), ...state });
    return { calls: [step, step, step], looks: { positions, velocities, dt, alpha, positive } };
  };
}

/** Kernel → how it is tried. */
export const RELAX: Trials = { fire_step: relaxing(false), fire2_step: relaxing(true) };
