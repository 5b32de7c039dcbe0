/**
 * Calls of many steps on a device, whose results are reported late.
 *
 * @module
 */

import type { Program } from "../../backend/backend.ts";
import { after } from "../../base/sequence.ts";
import { MultiStepLength } from "../../hooks/loop/pace.ts";
import { Control } from "../../kernels/kernel.ts";
import type { Divergence } from "../divergence/divergence.ts";
import { LateReport } from "./late_report.ts";
import type { RunParts } from "./run_engine.ts";
import type { StageReport } from "./stage_report.ts";
import { isSetIn, type StepResults } from "./step_results.ts";

/** A multi-step call that is in flight. */
interface Call {
  /** Number of the first step. */
  readonly first: number;
  /** Number of requested steps. */
  readonly n: number;
  /** Number of steps that ran. It is only final when the call has ended. */
  readonly ran: number | PromiseLike<number>;
}

/**
 * Runs multi-step calls on a device. If systems can converge, it sends steps one by one without waiting for their
 * results, because a call of many steps may end early. Otherwise it keeps two calls in flight.
 */
export class LateMultiStep {
  readonly #run: RunParts;
  readonly #report: LateReport;
  readonly #lengths = new MultiStepLength();
  /** Settles when the results of the last call are delivered. */
  #last: PromiseLike<void> | undefined;

  constructor(run: RunParts, report: LateReport) {
    this.#run = run;
    this.#report = report;
  }

  /** Forgets the last call of the previous run. */
  begin(): void {
    this.#last = undefined;
  }

  /** Runs up to `free` steps. Returns the number of steps that ran. */
  run(whole: Program, free: number): number | PromiseLike<number> {
    const { plan, phase, state, engine: { loop } } = this.#run;
    const { canConverge, wholeGivesEnergy } = plan.now;
    const first = loop.stepCount;
    const isSingle = canConverge && !this.#report.mustWait;
    const n = isSingle ? 1 : this.#lengths.next(free);
    const ran = state.run(whole, first, n);
    phase.evaluated(first + n - 1, wholeGivesEnergy);
    if (!isSingle) return this.#deliver({ first, n, ran });
    loop.context.stepCount = first;
    return after(this.#report.report(first), () => 1);
  }

  /**
   * Queues the results of a call for delivery. Waits for the call itself if it may end early, otherwise for the
   * previous call.
   */
  #deliver({ first, n, ran }: Call): PromiseLike<number> {
    const { plan: { now: { canConverge } }, phase, engine: { loop } } = this.#run;
    const begun = performance.now();
    let done = n;
    const results = this.#read({ first, n, ran }, (count) => void (done = count));
    const delivered = loop.defer(results, (results) => {
      if (done < n) phase.forces.step = first + done - 1;
      return this.#report.deliver(first + done - 1, results);
    }, true)!;
    const before = canConverge ? undefined : this.#last;
    this.#last = delivered;
    return (before ?? delivered).then(() => {
      this.#lengths.took(done, performance.now() - begun);
      return done;
    });
  }

  /** Reads the results of a call. Passes the number of steps that ran to `count` if the call may have ended early. */
  async #read({ first, n, ran }: Call, count: (done: number) => void): Promise<StepResults> {
    const { plan: { now: { canConverge, marks } }, state: { backend } } = this.#run;
    const buffers = this.#report.buffersWith(marks);
    const copies = canConverge ? backend.viewOrRead(buffers) : backend.readLate(buffers);
    // The call is sent at once, because calls that are sent together return together, and the device would be idle
    // meanwhile.
    backend.flush();
    const arrays = await copies as Int32Array[];
    let done = n;
    if (canConverge || arrays[0]![Control.DIVERGED] !== 0) count(done = await ran);
    const isSet = isSetIn(first + done - 1), { unmarkedCount } = this.#report;
    return this.#report.resultsOf(
      arrays.filter((_, i) => i < unmarkedCount || isSet(marks[i - unmarkedCount]!)),
      marks.filter(isSet),
    );
  }
}

/** Creates the report and the multi-step calls for a device that reports late. */
export function openLate(
  run: RunParts,
  divergence: Divergence,
  stages: StageReport,
): { readonly report: LateReport; readonly multiStep: LateMultiStep } {
  const report = new LateReport(run, divergence, stages);
  return { report, multiStep: new LateMultiStep(run, report) };
}
