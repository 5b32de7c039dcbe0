/**
 * Runs one step of a batch, part by part.
 *
 * @module
 */

import { isThenable, resultAfter } from "../../base/sequence.ts";
import { DynamicsStage } from "../stages.ts";
import type { Admission } from "./admission.ts";
import { callCustomCriteria } from "./custom_criteria.ts";
import type { Divergence } from "../divergence/divergence.ts";
import type { HookWork } from "./hook_work.ts";
import type { RunParts } from "./run_engine.ts";
import type { Stop } from "./step_parts.ts";

/** Reports the results of a step that is done: at once on the host, late on a device. */
export interface StepReport {
  /** Reports a step. */
  report(step: number): void | PromiseLike<void>;
}

/** The pieces that a step needs besides the batch. */
export interface StepPieces {
  /** Checks for diverged systems. */
  readonly divergence: Divergence;
  /** Admits systems to the batch. */
  readonly admission: Admission;
  /** Keeps measures up to date. */
  readonly work: HookWork;
  /** Reports the results of steps. */
  readonly report: StepReport;
}

/** Runs steps of a batch. */
export class StepRunner {
  readonly #run: RunParts;
  readonly #pieces: StepPieces;

  /** Runs nothing yet. */
  constructor(run: RunParts, pieces: StepPieces) {
    this.#run = run;
    this.#pieces = pieces;
  }

  /**
   * Runs one step, from one of its parts on: the kernels of each part as the plan says, then a visit to the hooks of a
   * stage, to the model, or to custom criteria. Returns a promise only if a hook, the model or a device asks for one;
   * the loop then goes on with the next part when it settles.
   */
  step(first: number = 0): void | PromiseLike<void> {
    const { plan, phase, engine: { loop } } = this.#run, { admission, work } = this.#pieces;
    // The step stays synchronous until something returns a promise: awaiting each part would cost more than the kernels of
    // a small batch. After a promise the step continues at a part by its index, so that no part runs twice.
    for (let i = first;; i++) {
      // A pending evaluation writes buffers that the next kernels read.
      const unready = plan.unready();
      if (unready !== undefined) return unready.then(() => this.step(i));
      if (phase.isOver) return;
      const part = plan.now.parts[i]; // Read in each round, because a hook may have changed the plan.
      if (part === undefined) return this.#end();
      if (part.stop === DynamicsStage.AFTER_PRE_UPDATE) phase.move();
      else if (part.stop === DynamicsStage.BEFORE_POST_UPDATE) phase.prime();
      if (admission.isEntering) admission.visit(part.stop);
      plan.run(part.program, loop.stepCount);
      work.hasChanged = false;
      const waiting = this.#visit(part.stop) ?? plan.pending;
      if (isThenable(waiting)) return waiting.then(() => this.step(i + 1));
    }
  }

  /** Does the work that follows a part of a step: the model, custom criteria, or the hooks of a stage. */
  #visit(stop: Stop): void | PromiseLike<void> {
    if (stop === "model") return this.#compute();
    if (stop === "criteria") return callCustomCriteria(this.#run);
    const { plan, engine: { loop } } = this.#run;
    const isChecked = stop === DynamicsStage.BEFORE_PRE_UPDATE || // the first forces, in a first step
      stop === DynamicsStage.BEFORE_POST_UPDATE || stop === DynamicsStage.AFTER_POST_UPDATE ||
      (stop === DynamicsStage.AFTER_COMPUTE && plan.now.isAdded);
    const checking = isChecked ? this.#pieces.divergence.check(loop.stepCount) : undefined;
    if (checking !== undefined) {
      return checking.then(() => loop.point(stop).fire(loop.stepCount));
    }
    return loop.point(stop).fire(loop.stepCount);
  }

  /** Computes forces by a model that is not made of kernels, such as an ONNX session. */
  #compute(): void | PromiseLike<void> {
    const { plan, phase, model, engine: { loop: { stepCount } } } = this.#run;
    const checking = this.#pieces.divergence.check(stepCount);
    if (checking !== undefined) return checking.then(() => this.#compute()); // without diverged systems
    phase.evaluated(stepCount, plan.now.givesEnergy);
    return plan.hold(model.compute?.({ energy: true, stress: true }));
  }

  /** Stops updating systems that have converged, and reports them. */
  #end(): void | PromiseLike<void> {
    const { plan, engine: { loop } } = this.#run, { admission, report } = this.#pieces;
    plan.run(plan.now.decide);
    if (admission.isEntering) admission.endStep();
    return report.report(loop.stepCount);
  }

  /** Runs one step, if each step must be visited. Returns the number of steps that were run, 1. */
  single(first: number): number | PromiseLike<number> {
    this.#run.engine.loop.context.stepCount = first;
    return resultAfter(this.step(), 1); // without a closure, as it is run for each step of an ONNX model
  }
}
