/**
 * Runs single steps of a batch, part by part.
 *
 * @module
 */

import { isThenable, resultAfter } from "../../base/sequence.ts";
import { DynamicsStage } from "../stages.ts";
import type { Admission } from "./admission.ts";
import { callCustomCriteria } from "./custom_criteria.ts";
import type { Divergence } from "../divergence/divergence.ts";
import { UNMOVED } from "./early_reads.ts";
import type { Evaluator } from "./evaluator.ts";
import type { HookWork } from "./hook_work.ts";
import type { RunParts } from "./run_engine.ts";
import type { Stop } from "./step_parts.ts";

/** Reports the results of finished steps: at once on the host, late on a device. */
export interface StepReport {
  /** Reports the results of a finished step. */
  report(step: number): void | PromiseLike<void>;
}

/** Objects that a step uses besides the batch. */
export interface StepPieces {
  /** Checks for diverged systems. */
  readonly divergence: Divergence;
  /** Admits systems during a run. */
  readonly admission: Admission;
  /** Computes energies that hooks read before the model. */
  readonly evaluator: Evaluator;
  /** Updates measures after changes by hooks. */
  readonly work: HookWork;
  /** Reports the results of steps. */
  readonly report: StepReport;
}

/** Runs single steps of a batch. */
export class StepRunner {
  readonly #run: RunParts;
  readonly #pieces: StepPieces;

  constructor(run: RunParts, pieces: StepPieces) {
    this.#run = run;
    this.#pieces = pieces;
  }

  /**
   * Runs one step from part `first` of the plan on. Each part consists of kernels, followed by the hooks of a stage,
   * the model, or custom criteria. Returns a promise only if a hook, the model or a device returns one. The step then
   * continues with the next part when the promise settles.
   */
  step(first: number = 0): void | PromiseLike<void> {
    const { plan, phase, engine: { loop } } = this.#run,
      { admission, evaluator, work } = this.#pieces;
    // The step stays synchronous until something returns a promise, because awaiting each part would cost more than
    // the kernels of a small batch. After a promise, the step continues at a part by its index, so that no part runs
    // twice.
    for (let i = first;; i++) {
      // A pending evaluation writes buffers that the next kernels read.
      const unready = plan.unready();
      if (unready !== undefined) return unready.then(() => this.step(i));
      if (phase.isOver) return;
      const part = plan.now.parts[i]; // read in each round, because a hook may have changed the plan
      if (part === undefined) return this.#end();
      const refreshing = i <= UNMOVED && !phase.forces.hasEnergy
        ? evaluator.refreshEarly(i)
        : undefined;
      if (isThenable(refreshing)) return refreshing.then(() => this.step(i));
      if (part.stop === DynamicsStage.AFTER_PRE_UPDATE) phase.move();
      else if (part.stop === DynamicsStage.BEFORE_POST_UPDATE) phase.prime();
      if (admission.isEntering) admission.visit(part.stop);
      plan.run(part.program, loop.stepCount);
      work.hasChanged = false;
      const waiting = this.#visit(part.stop) ?? plan.pending;
      if (isThenable(waiting)) return waiting.then(() => this.step(i + 1));
    }
  }

  /** Does the work that follows the kernels of a part: the model, custom criteria, or the hooks of a stage. */
  #visit(stop: Stop): void | PromiseLike<void> {
    if (stop === "model") return this.#compute();
    if (stop === "criteria") return callCustomCriteria(this.#run);
    const { plan, engine: { loop } } = this.#run;
    const isChecked = stop === DynamicsStage.BEFORE_PRE_UPDATE || // the first forces, in the first step
      stop === DynamicsStage.BEFORE_POST_UPDATE || stop === DynamicsStage.AFTER_POST_UPDATE ||
      (stop === DynamicsStage.AFTER_COMPUTE && plan.now.isAdded);
    const checking = isChecked ? this.#pieces.divergence.check(loop.stepCount) : undefined;
    if (checking !== undefined) {
      return checking.then(() => loop.point(stop).fire(loop.stepCount));
    }
    return loop.point(stop).fire(loop.stepCount);
  }

  /** Computes forces with a model that is not made of kernels, such as an ONNX session. */
  #compute(): void | PromiseLike<void> {
    const { plan, phase, model, engine: { loop: { stepCount } } } = this.#run;
    const checking = this.#pieces.divergence.check(stepCount);
    if (checking !== undefined) return checking.then(() => this.#compute()); // diverged systems are deactivated by then
    phase.evaluated(stepCount, plan.now.givesEnergy);
    return plan.hold(model.compute?.({ energy: true, stress: true }));
  }

  /** Ends the step: stops updating systems that have converged, and reports them. */
  #end(): void | PromiseLike<void> {
    const { plan, engine: { loop } } = this.#run, { admission, report } = this.#pieces;
    plan.run(plan.now.decide);
    if (admission.isEntering) admission.endStep();
    return report.report(loop.stepCount);
  }

  /** Runs one step, for engines whose steps must all be visited. Returns the number of steps that were run, 1. */
  single(first: number): number | PromiseLike<number> {
    this.#run.engine.loop.context.stepCount = first;
    return resultAfter(this.step(), 1); // creates no closure, because it runs for each step of an ONNX model
  }
}
