/**
 * Finds systems that have diverged, and ends the run or drops them.
 *
 * @module
 */

import { Control } from "../../kernels/kernel.ts";
import { catching } from "../../base/sequence.ts";
import { DivergedError } from "../diverged_error.ts";
import { divergedSystems } from "../engine/dynamics_checks.ts";
import type { RunParts } from "../step/run_engine.ts";

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
    const system = control[Control.DIVERGED]! - 1;
    if (system < 0) return;
    return catching<void>(
      () => this.#fail(control, step),
      (error) => {
        this.#drop(step, error);
        this.checkLast(step); // only one of the systems that diverge in a step is reported
      },
    );
  }

  async #fail(control: Int32Array, step: number): Promise<never> {
    const words = control.slice(), system = words[Control.DIVERGED]! - 1;
    const { detailsOf } = await import("./diverged_details.ts"); // Most runs do not need this module.
    const details = await detailsOf(this.#run, words);
    throw new DivergedError(this.#run.engine.name, step, [system], details);
  }

  /** Checks the numbers of all systems after a step, before they are reported. */
  checkLast(step: number): void {
    const { isLate, state, engine: { name } } = this.#run;
    if (isLate) return;
    const active = state.view(state.frame.active);
    const view = (field: "positions" | "velocities" | "forces") => state.view(state.field(field));
    const fields = { positions: view("positions"), forces: view("forces"), ...this.#velocities() };
    for (const { system, cause, atom } of divergedSystems(state.batch, fields)) {
      if (active[system] === 0) continue;
      this.#drop(step, new DivergedError(name, step, [system], { cause, atom }));
    }
  }

  #velocities(): { readonly velocities?: ArrayLike<number> } {
    const { state } = this.#run;
    return state.fields.has("velocities")
      ? { velocities: state.view(state.field("velocities")) }
      : {};
  }

  /**
   * Goes on without a diverged system if the stream drops it, and throws the error again if not. The other systems are
   * not affected.
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
