/**
 * Finds systems that have diverged, and ends the run or drops them.
 *
 * @module
 */

import { Control } from "../../kernels/kernel.ts";
import { catching } from "../../base/sequence.ts";
import { DivergedError } from "../diverged_error.ts";
import { divergedSystems } from "../engine/dynamics_checks.ts";
import type { RunParts } from "./run_engine.ts";
import { assertNoneDiverged } from "./step_results.ts";

/** The check for diverged systems of one batch. */
export class Divergence {
  readonly #run: RunParts;

  /** Checks nothing yet. */
  constructor(run: RunParts) {
    this.#run = run;
  }

  /** Throws a DivergedError, or rejects with it, if a system has diverged and this is known at once. */
  check(step: number): void | PromiseLike<void> {
    const { isLate, state } = this.#run;
    if (isLate) return;
    const control = state.view(state.frame.control);
    if (control[Control.DIVERGED] !== 0) return this.assertNone(control, step);
  }

  /** Throws a DivergedError, or rejects with it, if these control words say that a system has diverged. */
  assertNone(control: Int32Array, step: number): void | PromiseLike<void> {
    const { engine: { name, model: { name: model } }, state, model: opened } = this.#run;
    const fault = (system: number) => opened.fault?.(system);
    return catching(
      () => assertNoneDiverged(state, control, { engine: name, step, model, fault }),
      (error) => this.#drop(step, error),
    );
  }

  /** Checks the positions after the last step before they are reported: only the next step would find the fault. */
  checkLast(step: number): void {
    const { isLate, state, engine: { name } } = this.#run;
    if (isLate) return;
    for (const system of divergedSystems(state.batch, state.view(state.field("positions")))) {
      this.#drop(step, new DivergedError(name, step, [system]));
    }
  }

  /**
   * Goes on without a diverged system if the stream drops it, and throws the error again if not. The other systems are
   * what they would be without it.
   */
  #drop(step: number, error: unknown): void {
    const { isLate, state, engine: { running } } = this.#run;
    const { backend, frame } = state;
    const isDropped = !isLate && error instanceof DivergedError &&
      running.stream?.drops(step, error) === true;
    if (!isDropped) throw error;
    state.writeRows(frame.active, error.systems, new Int32Array(state.batch.size));
    state.restoreInitial(error.systems);
    const control = new Int32Array(Control.LENGTH);
    control[Control.HALT] = 1; // systems that have converged in the same step are still to be reported
    backend.write(frame.control, control);
  }
}
