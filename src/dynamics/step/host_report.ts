/**
 * Reports of convergence for backends that run kernels on the host.
 *
 * @module
 */

import { inOrder } from "../../base/sequence.ts";
import { Control } from "../../kernels/kernel.ts";
import { CONSERVED } from "../engine/measures.ts";
import { DynamicsStage } from "../stages.ts";
import { hasChanges, STAGE_EVENT, type StageChanges } from "../stages/stage_changes.ts";
import type { Evaluator } from "./evaluator.ts";
import { without } from "./reported_events.ts";
import type { RunParts } from "./run_engine.ts";
import type { StageReport } from "./stage_report.ts";
import type { Mark } from "./step_parts.ts";
import { buffersOf, isSetIn, maskOf } from "./step_results.ts";

/** Reports the systems that have converged at the end of a step. Each system is reported once. */
export class HostReport {
  readonly #run: RunParts;
  readonly #evaluator: Evaluator;
  readonly #stages: StageReport;

  constructor(run: RunParts, evaluator: Evaluator, stages: StageReport) {
    this.#run = run;
    this.#evaluator = evaluator;
    this.#stages = stages;
  }

  /** Reports the systems that have converged or changed stage in a step. */
  report(step: number): void | PromiseLike<void> {
    const { plan, state, state: { frame, batch }, engine: { loop, running } } = this.#run;
    if (!plan.now.canConverge || state.view(frame.control)[Control.HALT] === 0) return;
    const due = plan.now.marks.filter(isSetIn(step));
    const marked = (marks: readonly Mark[]) =>
      maskOf(buffersOf(marks).map((mark) => state.view(mark)), batch.size);
    const active = state.view(frame.active);
    const converged = marked(due.filter(({ isSpent }) => isSpent !== true));
    if (running.stream !== undefined) running.stream.finished(step, { active, converged });
    else if (!active.includes(1)) loop.done();
    const changed = marked(due);
    if (!changed.includes(1)) return;
    return inOrder(
      () => this.#refreshFinished(changed, step),
      () => this.#reportChanged(converged, step),
    );
  }

  /** Computes the energies of systems that have finished, if the step did not. */
  #refreshFinished(changed: Int32Array, step: number): void | PromiseLike<void> {
    const { phase, state, state: { frame }, integrator: { stages } } = this.#run;
    const active = state.view(frame.active);
    const finished = stages === undefined
      ? changed
      : changed.map((one, s) => active[s] === 0 ? one : 0);
    if (phase.forces.hasEnergy || !finished.includes(1)) return;
    return this.#evaluator.refreshFinished(finished, step);
  }

  #reportChanged(converged: Int32Array, step: number): void | PromiseLike<void> {
    const { state, integrator: { stages } } = this.#run;
    if (stages === undefined) return this.#fire(step, converged);
    const changes = {
      stage: state.view(stages.stage).slice(),
      status: state.view(stages.status).slice(),
    };
    return inOrder(
      () => converged.includes(1) ? this.#fire(step, converged, changes) : undefined,
      () => hasChanges(changes) ? this.#stages.report(step, changes) : undefined,
    );
  }

  /** Calls hooks at ON_CONVERGE with the systems that they have not received yet. */
  #fire(step: number, converged: Int32Array, stages?: StageChanges): void | PromiseLike<void> {
    const { engine: { loop, reported } } = this.#run;
    const point = loop.point(DynamicsStage.ON_CONVERGE);
    if (point.isEmpty) return;
    const context: Event = loop.context;
    loop.context.stepCount = step;
    const known = reported.take(converged);
    const mask = without(converged, known);
    return inOrder(
      () => this.#refreshRead(),
      () => {
        if (known === undefined) return;
        // These systems were reported before a device was lost. Only the changes by modifiers are lost, so only modifiers
        // run again.
        context.convergedMask = known;
        return point.modify(step);
      },
      () => {
        this.#run.plan.run(this.#run.plan.now.converged);
        context.convergedMask = mask;
        context[STAGE_EVENT] = stages && { ...stages, mask };
        return mask.includes(1) ? point.fire(step) : undefined;
      },
      () => {
        delete context.convergedMask;
        delete context[STAGE_EVENT];
      },
    );
  }

  /** Computes the energies if a hook at ON_CONVERGE reads them. */
  #refreshRead(): void | PromiseLike<void> {
    const reads = this.#run.engine.loop.hooks.reads(DynamicsStage.ON_CONVERGE);
    if (reads.has("energy") || reads.has(CONSERVED)) return this.#evaluator.refresh();
  }
}

/** Context fields that exist only during an event. */
interface Event {
  convergedMask?: ArrayLike<number>;
  [STAGE_EVENT]?: object | undefined;
}
