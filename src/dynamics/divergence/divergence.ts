/**
 * Detection of diverged systems, which end the run or leave the stream.
 *
 * @module
 */

import { Control } from "../../kernels/kernel.ts";
import { catching } from "../../base/sequence.ts";
import { DivergedError } from "../diverged_error.ts";
import { divergedSystems } from "../engine/dynamics_checks.ts";
import type { RunParts } from "../step/run_engine.ts";

/** Checks the systems of one batch for divergence. */
export class Divergence {
  readonly #run: RunParts;

  constructor(run: RunParts) {
    this.#run = run;
  }

  /**
   * Throws a DivergedError, or rejects with it, if a system has diverged. Does nothing on a device, whose values
   * arrive later.
   */
  check(step: number): void | PromiseLike<void> {
    const { isLate, state } = this.#run;
    if (isLate) return;
    const control = state.view(state.frame.control);
    if (control[Control.DIVERGED] !== 0) return this.assertNone(control, step);
  }

  /**
   * Throws a DivergedError, or rejects with it, if control words report a diverged system that the stream does not
   * drop.
   */
  assertNone(control: Int32Array, step: number): void | PromiseLike<void> {
    const system = control[Control.DIVERGED]! - 1;
    if (system < 0) return;
    return catching<void>(
      () => this.#fail(control, step),
      (error) => {
        this.#drop(step, error);
        this.checkLast(step); // The control words report only one of the systems that diverge in a step.
      },
    );
  }

  async #fail(control: Int32Array, step: number): Promise<never> {
    const words = control.slice(), system = words[Control.DIVERGED]! - 1;
    const { detailsOf } = await import("./diverged_details.ts"); // Most runs never load this module.
    const details = await detailsOf(this.#run, words);
    throw new DivergedError(this.#run.engine.name, step, [system], details);
  }

  /**
   * Checks that positions, velocities and forces of all active systems are finite, before they are reported. Does
   * nothing on a device.
   */
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
   * Deactivates a diverged system if the stream drops it, without any effect on the other systems. Otherwise throws
   * the error again.
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
    control[Control.HALT] = 1; // systems that have converged in the same step must still be reported
    backend.write(frame.control, control);
  }
}
