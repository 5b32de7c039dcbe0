/**
 * Reports of stage changes to the hooks of stages.
 *
 * @module
 */

import { inOrder } from "../../base/sequence.ts";
import { DynamicsStage } from "../stages.ts";
import { STAGE_EVENT, type StageChanges } from "../stages/stage_changes.ts";
import type { Admission } from "./admission.ts";
import { without } from "./reported_events.ts";
import type { RunParts } from "./run_engine.ts";

/** Reports the stage changes of the systems of one batch. */
export class StageReport {
  readonly #run: RunParts;
  readonly #admission: Admission;

  constructor(run: RunParts, admission: Admission) {
    this.#run = run;
    this.#admission = admission;
  }

  /**
   * Applies the hooks of the new stages to the forces of systems that have changed stage, and reports these systems
   * at ON_ADMIT.
   */
  report(step: number, changes: StageChanges): void | PromiseLike<void> {
    const { plan } = this.#run;
    return inOrder(
      () => plan.now.modifiesStages ? this.#admission.applyStageHooks(changes, step) : undefined,
      () => this.#fire(step, changes),
      () => this.#renewHeld(),
    );
  }

  #fire(step: number, changes: StageChanges): void | PromiseLike<void> {
    const { isLate, engine: { loop, reported: { stageChanges } } } = this.#run;
    const point = loop.point(DynamicsStage.ON_ADMIT);
    if (!point.hasParts) return;
    const changed = changes.stage.map((was, s) => was === changes.status[s] ? 0 : 1);
    const mask = isLate ? changed : without(changed, stageChanges.take(changed));
    const event = { stepCount: step, [STAGE_EVENT]: { ...changes, mask } };
    return point.fireLate(step, event, { isOfParts: true }).then(() => {
      if (isLate) stageChanges.add(changed);
    });
  }

  /** Discards the plan if hooks of stages hold atoms, because other atoms are held after a change of stage. */
  #renewHeld(): void {
    const { plan } = this.#run;
    if (plan.known?.holdsStages) plan.forget();
  }
}
