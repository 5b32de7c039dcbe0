/**
 * Several integrators as one: each system is moved by the integrator of its stage.
 *
 * @module
 */

import { call, type KernelCall } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { remember } from "../../kernels/remember.ts";
import type { Integrator, OpenIntegrator } from "../integrators/integrator.ts";
import { isBath, keepsCenter } from "../integrators/center_motion.ts";
import { noteStages } from "../engine/measures.ts";
import { lowOf } from "../integrators/motion.ts";
import { OpenStages, type StageBudget } from "./open_stages.ts";
import { withinStage } from "./stage_place.ts";

/** A stage, to be run with others. */
export interface NamedStage {
  /** Unique name. */
  readonly name: string;
  /** Moves its systems. */
  readonly integrator: Integrator;
}

/** Clears the compensation of positions, if an integrator moves atoms without counting it. */
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
 * Runs the integrator of each stage for the systems whose `status` is its number; the others are not updated meanwhile,
 * integrator state included. Each integrator has a state of its own, which is new when a system enters the stage.
 *
 * `budgets` are the steps after which systems leave stages.
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
