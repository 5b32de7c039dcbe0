/**
 * Reports of the results of steps on a device, which arrive while later steps run.
 *
 * @module
 */

import type { Buffer } from "../../backend/backend.ts";
import { Control } from "../../kernels/kernel.ts";
import { DynamicsStage } from "../stages.ts";
import { hasChanges, STAGE_EVENT } from "../stages/stage_changes.ts";
import { unavailable } from "../engine/engine_device.ts";
import type { Divergence } from "../divergence/divergence.ts";
import type { RunParts } from "./run_engine.ts";
import type { StageReport } from "./stage_report.ts";
import type { Mark } from "./step_parts.ts";
import { buffersOf, isSetIn, maskOf, type StepResults } from "./step_results.ts";

/**
 * Longest time by which results may lag behind, ms. It keeps the device busy, and a request to stop takes effect
 * soon.
 */
const BEHIND_MS = 100;

/** Requested results that a device has not delivered yet, in order. */
class PendingResults {
  readonly #askedAt: number[] = [];
  readonly #delivered: PromiseLike<void>[] = [];

  /**
   * Adds a result. Returns the oldest pending result if it was requested too long ago, so that the caller waits for
   * it; otherwise `undefined`.
   */
  push(delivered: PromiseLike<void>): PromiseLike<void> | undefined {
    const now = performance.now();
    this.#askedAt.push(now);
    this.#delivered.push(delivered);
    delivered.then(() => {
      this.#askedAt.shift();
      this.#delivered.shift();
    });
    return now - this.#askedAt[0]! > BEHIND_MS ? this.#delivered[0] : undefined;
  }
}

/**
 * Reports the results of steps when they arrive. Hooks receive them in order with the values that observers read, and
 * with the same content as on the host.
 */
export class LateReport {
  readonly #run: RunParts;
  readonly #divergence: Divergence;
  readonly #stages: StageReport;
  readonly #pending = new PendingResults();
  #isLost = false;

  constructor(run: RunParts, divergence: Divergence, stages: StageReport) {
    this.#run = run;
    this.#divergence = divergence;
    this.#stages = stages;
  }

  /** True if later work must wait for the results of the last step, because it may depend on them. */
  get mustWait(): boolean {
    const { plan, engine: { loop, running } } = this.#run;
    if (plan.known?.holdsStages || plan.known?.modifiesStages) return true;
    return running.isByHand || loop.point(DynamicsStage.ON_CONVERGE).mustWait ||
      loop.point(DynamicsStage.ON_ADMIT).mustWait;
  }

  /** Queues the results of a step for delivery to hooks. */
  report(step: number): void | PromiseLike<void> {
    const { plan, state: { backend }, engine: { loop } } = this.#run;
    const { mustWait } = this;
    const marks = plan.now.marks.filter(isSetIn(step));
    const buffers = this.buffersWith(marks);
    const arriving = mustWait
      ? Promise.resolve(backend.viewOrRead(buffers))
      : backend.readLate(buffers);
    const results = arriving.then((arrays) => this.resultsOf(arrays as Int32Array[], marks));
    const full = loop.defer(results, (results) => this.deliver(step, results), mustWait);
    if (mustWait) return full;
    return this.#pending.push(loop.hooks.soFar) ?? full;
  }

  /** Returns the buffers with the results of a step. The buffers of `marks` come last. */
  buffersWith(marks: readonly Mark[]): Buffer<"i32">[] {
    const { frame } = this.#run.state;
    return [frame.control, frame.active, ...this.#stageBuffers, ...buffersOf(marks)];
  }

  /** Number of buffers before the buffers of marks. */
  get unmarkedCount(): number {
    return 2 + this.#stageBuffers.length;
  }

  get #stageBuffers(): Buffer<"i32">[] {
    const { stages } = this.#run.integrator;
    return stages === undefined ? [] : [stages.stage, stages.status];
  }

  /** Returns the results of a step from the arrays of the buffers that `buffersWith` returns. */
  resultsOf(arrays: readonly Int32Array[], marks: readonly Mark[]): StepResults {
    const [control, active, stage, status] = arrays;
    const marked = arrays.slice(this.unmarkedCount);
    return {
      control: control!,
      active: active!,
      stages: this.unmarkedCount === 2 ? undefined : { stage: stage!, status: status! },
      marked: marked.filter((_, i) => marks[i]!.isSpent !== true),
    };
  }

  /** Delivers the results of a step to hooks. `results` is `undefined` if the run had ended before this step. */
  async deliver(step: number, results: StepResults | undefined): Promise<void> {
    // Later events must not be counted as received if hooks have missed an earlier one: all are repeated elsewhere.
    if (results === undefined || this.#isLost) return;
    try {
      await this.#deliver(step, results);
    } catch (error) {
      this.#isLost = unavailable(error) !== undefined;
      throw error;
    }
  }

  async #deliver(step: number, results: StepResults): Promise<void> {
    const { engine: { running: { stream } } } = this.#run;
    const { control, active, marked, stages } = results;
    if (control[Control.DIVERGED] !== 0) await this.#endDiverged(control, step);
    const converged = maskOf(marked, active.length);
    const isChanged = stages !== undefined && hasChanges(stages);
    const isOver = stages !== undefined && !active.includes(1); // a hook may have finished all systems
    stream?.finished(step, { active, converged });
    if (!converged.includes(1) && !isChanged && !isOver) return;
    if (!active.includes(1) && stream === undefined) this.#end(step);
    if (converged.includes(1)) await this.#fire(step, converged, results);
    if (isChanged) await this.#stages.report(step, stages);
  }

  /** Records that the run has ended with this step. */
  #end(step: number): void {
    const { phase, engine: { loop } } = this.#run;
    loop.done(step + 1);
    phase.forces.step = step;
    phase.end();
  }

  /** Ends the run before the step in which a system has diverged, and throws the DivergedError. */
  async #endDiverged(control: Int32Array, step: number): Promise<void> {
    const { phase, engine: { loop } } = this.#run;
    loop.done(step);
    phase.end();
    await this.#divergence.assertNone(control, step);
  }

  async #fire(step: number, mask: Int32Array, { stages }: StepResults): Promise<void> {
    const { plan, state, engine: { loop, reported } } = this.#run;
    const point = loop.point(DynamicsStage.ON_CONVERGE);
    if (point.isEmpty) return;
    if (plan.known === undefined) await state.refreshMirror();
    plan.run(plan.now.converged);
    const event = { [STAGE_EVENT]: stages && { ...stages, mask } };
    await point.fireLate(step, { stepCount: step, convergedMask: mask, ...event });
    reported.add(mask);
  }
}
