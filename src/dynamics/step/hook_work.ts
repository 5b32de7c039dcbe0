/**
 * Kernels of hooks that run outside of the plan, and measures that hooks read.
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

/** Runs kernels of hooks on demand, and updates measures after hooks have changed fields. */
export class HookWork {
  /** True if a hook has changed fields since the measures were computed. Readers then have them recomputed. */
  hasChanged = false;
  readonly #run: RunParts;

  constructor(run: RunParts) {
    this.#run = run;
  }

  /** Records that a hook has received a field for writing. */
  touch(field: string): void {
    this.#run.state.markChanged(field);
    this.hasChanged = true;
  }

  /** Recomputes a measure if a hook has changed fields since it was computed. */
  measure(field: string): void {
    if (!this.hasChanged) return;
    const { plan, isLate, state, engine: { integrator } } = this.#run;
    if (plan.known !== undefined || !isLate) return plan.run(plan.now.measures.get(field));
    // A device has no plan now, and creating one would require waiting.
    plan.runOnce(measureOf(state, field, integrator.keepsMomentum === true)?.calls ?? []);
  }

  /** Runs the kernels and the `compute` of a hook now. `part` restricts them to the systems in some stages. */
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
