/**
 * Computation of forces and energies outside of a step.
 *
 * @module
 */

import type { NumericArray } from "../../batch/fields/fields.ts";
import { after, inOrder, isThenable, withCleanup } from "../../base/sequence.ts";
import { outputsOf } from "../../models/model.ts";
import type { Divergence } from "../divergence/divergence.ts";
import { readsEarly } from "./early_reads.ts";
import type { RunParts } from "./run_engine.ts";

/** Evaluates the model of a batch outside of a step: before the first step, and when energies are requested. */
export class Evaluator {
  readonly #run: RunParts;
  readonly #divergence: Divergence;

  constructor(run: RunParts, divergence: Divergence) {
    this.#run = run;
    this.#divergence = divergence;
  }

  /** Computes pairs, forces and energies. Hooks modify them as they would in `step`. */
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
   * Computes the energies if the last steps did not. The forces do not change. If the model is synchronous, it is
   * evaluated at once; otherwise the evaluation blocks later work until it settles.
   */
  refresh(): void | PromiseLike<void> {
    const { plan, phase, engine: { loop } } = this.#run;
    if (!phase.hasForces || phase.forces.hasEnergy) return plan.pending;
    const waiting = plan.unready();
    if (isThenable(waiting)) return waiting.then(() => this.refresh());
    return plan.hold(this.#evaluateEnergies(phase.forces.step ?? loop.stepCount - 1));
  }

  /**
   * Computes the energies if the last steps did not, and a hook reads them at a stage before the model from the one
   * with the index `first` on. Call it before the atoms move, because the energies belong to the current positions.
   */
  refreshEarly(first: number): void | PromiseLike<void> {
    const { plan, phase, engine: { loop: { hooks, stepCount } } } = this.#run;
    if (phase.forces.hasEnergy || !plan.now.readsEarly) return;
    if (readsEarly(hooks, { from: stepCount, to: stepCount, first })) return this.refresh();
  }

  /**
   * Computes the energies of the systems with a nonzero number in `mask`, which have finished in a step without
   * energies. This cannot be done later, because hooks may then modify forces in another way.
   */
  refreshFinished(mask: Int32Array, step: number): void | PromiseLike<void> {
    const { plan, phase, state, state: { backend, frame } } = this.#run;
    const before = state.view(frame.active).slice();
    backend.write(frame.active, mask);
    const restore = () => {
      backend.write(frame.active, before);
      phase.forces.hasEnergy = false; // the other systems still have no energies
    };
    return plan.hold(withCleanup(() => this.#evaluateEnergies(step), restore));
  }

  /**
   * Evaluates the model, but keeps the bits of forces and virials. They might differ, because wrapping may have moved
   * atoms by lattice vectors.
   */
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
