/**
 * One integrator made of several: each system is moved by the integrator of its stage.
 *
 * @module
 */

import { call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { remember } from "../../kernels/remember.ts";
import type { Integrator, OpenIntegrator } from "../integrators/integrator.ts";
import { isBath, keepsCenter } from "../integrators/motion.ts";
import { noteStages } from "../engine/measures.ts";
import { lowOf } from "../integrators/motion.ts";
import { OpenStages, type StageBudget } from "./open_stages.ts";
import { withinStage } from "./stage_place.ts";

/** A stage of a fused run. */
export interface NamedStage {
  /** Unique name of the stage. */
  readonly name: string;
  /** The integrator, which moves the systems in the stage. */
  readonly integrator: Integrator;
}

/**
 * Returns the calls that set the rounding remainders of positions to 0. They run after integrators that move atoms
 * without updating the remainders. Returns an empty list if no other integrator uses the remainders.
 */
function forgettingLow(
  state: ResidentBatch,
  opened: readonly OpenIntegrator[],
): readonly KernelCall[] {
  if (!opened.some(usesLow)) return [];
  const source = state.scratch("noLow", { dtype: "real", level: "node", width: 3 });
  return [call(remember, { source, target: lowOf(state) })];
}

function usesLow({ pre, post }: OpenIntegrator): boolean {
  return [...pre, ...post].some(({ args }) => args.low !== undefined);
}

/**
 * Returns an integrator that runs the integrator of each stage for the systems whose `status` is the index of the
 * stage. Meanwhile all other systems, and their integrator state, do not change. Each stage has separate integrator
 * state, which is reset when a system enters the stage.
 *
 * `budgets` are the numbers of steps after which systems leave stages.
 */
export function staged(
  stages: readonly NamedStage[],
  budgets: readonly StageBudget[],
): Integrator {
  const integrators = stages.map(({ integrator }) => integrator);
  const dt = integrators.find(({ dt }) => dt !== undefined)?.dt;
  return {
    name: stages.map(({ name }) => name).join("+"),
    stages: integrators,
    keepsMomentum: integrators.every(({ keepsMomentum }) => keepsMomentum === true),
    needsStress: integrators.some(({ needsStress }) => needsStress === true),
    needsEnergy: integrators.some(({ needsEnergy }) => needsEnergy === true),
    ...(dt === undefined ? {} : { dt }),
    open(state) {
      const own = new OpenStages(state, stages.length, budgets);
      const stirred = integrators.map((_, k) => integrators.slice(0, k).some(isBath));
      const keeps = integrators.map((one, k) => keepsCenter(one) && !stirred[k]);
      if (keeps.includes(true)) {
        const baths = integrators.flatMap((one, k) => isBath(one) ? [k] : []);
        const notes = { stage: own.stage, keeps: state.constants("i32", keeps.map(Number), "all") };
        noteStages(state, notes, (system) => own.hasPassed(system, baths));
      }
      const place = { stage: own.stage, count: stages.length };
      const opened = stages.map(({ name, integrator }, at) =>
        withinStage(
          state,
          { ...place, at, isStirred: stirred[at]! },
          () => state.within(name, () => integrator.open(state)),
        )
      );
      const forgetting = forgettingLow(state, opened);
      const each = (calls: (one: OpenIntegrator) => readonly KernelCall[]) =>
        own.each(opened.map((one, i) => [{ first: i, end: i + 1 }, calls(one)]));
      return {
        pre: each((one) => usesLow(one) ? one.pre : [...one.pre, ...forgetting]),
        post: [...each(({ post }) => post), own.counted()],
        stages: own,
      };
    },
  };
}
