/**
 * Runs of many steps of a batch in one call, while no hook is due.
 *
 * @module
 */

import type { Program } from "../../backend/backend.ts";
import { isThenable, resultAfter } from "../../base/sequence.ts";
import type { Divergence } from "../divergence/divergence.ts";
import type { LateMultiStep } from "./late_multi_step.ts";
import type { RunParts } from "./run_engine.ts";
import type { StepReport, StepRunner } from "./step_runner.ts";

/** Objects that a multi-step call uses besides the batch. */
export interface MultiStepPieces {
  /** Runs single steps. */
  readonly runner: StepRunner;
  /** Checks for diverged systems. */
  readonly divergence: Divergence;
  /** Reports the results of steps. */
  readonly report: StepReport;
  /** Runs the calls on a device that reports late; `undefined` on the host. */
  readonly late: LateMultiStep | undefined;
}

/** Runs multi-step calls of a batch. */
export class MultiStep {
  readonly #run: RunParts;
  readonly #pieces: MultiStepPieces;

  constructor(run: RunParts, pieces: MultiStepPieces) {
    this.#run = run;
    this.#pieces = pieces;
  }

  /** Runs up to `n` steps in which no hook is due. Returns the number of steps that ran. */
  run(n: number): number | PromiseLike<number> {
    const { plan, engine: { loop } } = this.#run, { runner, late } = this.#pieces;
    const unready = plan.unready();
    if (isThenable(unready)) return unready.then(() => this.run(n));
    const { whole } = plan.now;
    if (whole === undefined) return runner.single(loop.stepCount);
    return late === undefined ? this.#runOnHost(whole, n) : late.run(whole, n);
  }

  #runOnHost(whole: Program, n: number): number | PromiseLike<number> {
    const { plan, phase, state, engine: { loop: { stepCount, context } } } = this.#run;
    const done = state.run(whole, stepCount, n) as number;
    const last = stepCount + done - 1;
    phase.evaluated(last, plan.now.wholeGivesEnergy);
    context.stepCount = last; // if a system has diverged, the steps before this one count as done
    const checking = this.#pieces.divergence.check(last);
    // The usual case creates no closures, because it runs for each multi-step call.
    if (isThenable(checking)) return resultAfter(this.#reportAfter(checking, last), done);
    return resultAfter(this.#pieces.report.report(last), done);
  }

  #reportAfter(checking: PromiseLike<unknown>, last: number): PromiseLike<void> {
    return checking.then(() => this.#pieces.report.report(last));
  }
}
