/**
 * Forces and energies outside of a step.
 *
 * @module
 */

import type { NumericArray } from "../../batch/fields/fields.ts";
import { after, inOrder, isThenable, withCleanup } from "../../base/sequence.ts";
import { outputsOf } from "../../models/model.ts";
import type { Divergence } from "../divergence/divergence.ts";
import type { RunParts } from "./run_engine.ts";

/** Evaluates the model of a batch out of turn: before the first step, and when energies are asked for. */
export class Evaluator {
  readonly #run: RunParts;
  readonly #divergence: Divergence;

  /** Evaluates nothing yet. */
  constructor(run: RunParts, divergence: Divergence) {
    this.#run = run;
    this.#divergence = divergence;
  }

  /** Computes pairs, forces and energies; hooks modify them as in the given step. */
  evaluate(step: number): void | PromiseLike<void> {
    const { plan, model, engine: { loop } } = this.#run;
    plan.run(plan.now.forces);
    return inOrder(
      () => this.#divergence.check(loop.stepCount - 1),
      () => model.compute?.({ energy: true, stress: true }),
      () => this.#evaluated(step),
    );
  }

  #evaluated(step: number): void {
    const { plan, phase } = this.#run;
    plan.run(plan.now.modify, step);
    phase.evaluated(step, true);
  }

  /**
   * Computes energies if the last steps did not; the forces do not change. Runs at once if the model is synchronous,
   * and blocks later work otherwise.
   */
  refresh(): void | PromiseLike<void> {
    const { plan, phase, engine: { loop } } = this.#run;
    if (!phase.hasForces || phase.forces.hasEnergy) return plan.pending;
    const waiting = plan.unready();
    if (isThenable(waiting)) return waiting.then(() => this.refresh());
    return plan.hold(this.#evaluateEnergies(phase.forces.step ?? loop.stepCount - 1));
  }

  /** Computes the energies of systems that finish in a step without them: later, hooks may modify forces in another way. */
  refreshFinished(mask: Int32Array, step: number): void | PromiseLike<void> {
    const { plan, phase, state, state: { backend, frame } } = this.#run;
    const before = state.view(frame.active).slice();
    backend.write(frame.active, mask);
    const restore = () => {
      backend.write(frame.active, before);
      phase.forces.hasEnergy = false; // of all others
    };
    return plan.hold(withCleanup(() => this.#evaluateEnergies(step), restore));
  }

  /** Evaluates, and keeps forces and virials bitwise: wrapping may have moved atoms by whole lattice vectors since. */
  #evaluateEnergies(step: number): void | PromiseLike<void> {
    const { state, state: { backend }, engine: { integrator } } = this.#run;
    const { forces, virial } = outputsOf(state);
    const kept = integrator.needsStress === true ? [forces, virial] : [forces];
    return after<readonly NumericArray[], void>(
      backend.isHost ? kept.map((buffer) => backend.view(buffer).slice()) : backend.readLate(kept),
      (before) =>
        inOrder(
          () => this.evaluate(step),
          () => this.#divergence.check(step),
          () => kept.forEach((buffer, i) => backend.write(buffer, before[i]!)),
        ),
    );
  }
}
