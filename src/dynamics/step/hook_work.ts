/**
 * The work of hooks on a batch, and the measures that they read.
 *
 * @module
 */

import { after, withCleanup } from "../../base/sequence.ts";
import { measureOf } from "../engine/measures.ts";
import type { StageRange } from "../stages/open_stages.ts";
import { DynamicsStage } from "../stages.ts";
import { withinPart } from "./hook_calls.ts";
import type { RunParts } from "./run_engine.ts";
import type { WithKernels } from "./step_parts.ts";

/** Runs kernels of hooks out of turn, and keeps measures up to date with the changes of hooks. */
export class HookWork {
  /** True if a hook has changed something since the last measures: each part of a step measures again. */
  hasChanged = false;
  readonly #run: RunParts;

  /** Runs nothing yet. */
  constructor(run: RunParts) {
    this.#run = run;
  }

  /** Notes that a hook was given a field to write. */
  touch(field: string): void {
    this.#run.state.markChanged(field);
    this.hasChanged = true;
  }

  /** Takes a measure again if a hook has changed something at this stage. */
  measure(field: string): void {
    if (!this.hasChanged) return;
    const { plan, isLate, state, engine: { integrator } } = this.#run;
    if (plan.known !== undefined || !isLate) return plan.run(plan.now.measures.get(field));
    // There is no plan at the moment, and making one would need waiting.
    plan.runOnce(measureOf(state, field, integrator.keepsMomentum === true)?.calls ?? []);
  }

  /** Runs the kernels of a hook now, and updates the measures that depend on them. */
  work(hook: WithKernels, stage: DynamicsStage, part?: unknown): void | PromiseLike<void> {
    const { state, plan, integrator: { stages } } = this.#run;
    const isAfter = stage === DynamicsStage.ON_CONVERGE;
    return after(state.refreshMirror(), () => {
      plan.runOnce(withinPart(stages, part, hook.kernels({ state }, stage), isAfter));
      this.hasChanged = true;
      if (hook.compute === undefined) return;
      if (stages === undefined || part === undefined) return hook.compute({ state }, stage);
      plan.runOnce([stages.enter(part as StageRange, true, isAfter)]);
      return withCleanup(
        () => hook.compute!({ state }, stage),
        () => plan.runOnce([stages.leave()]),
      );
    });
  }
}
