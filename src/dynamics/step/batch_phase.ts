/**
 * State of the forces of a batch between the operations of a step.
 *
 * @module
 */

/** The last evaluation of the model. */
export interface Evaluation {
  /**
   * Step for which the forces were computed; `undefined` before. Hooks that are due only at some steps may have
   * modified them.
   */
  step: number | undefined;
  /** True if energies (and stresses) were computed together with the forces. */
  hasEnergy: boolean;
}

/** A phase of a batch, with the last evaluation of its forces. */
export type Phase =
  /** The forces do not belong to the current positions. A run begins with an evaluation. */
  | { readonly name: "unprimed" }
  /** The forces belong to the current positions. */
  | { readonly name: "primed"; readonly forces: Evaluation }
  /** The atoms have moved in the current step, and the forces are still those of the previous step. */
  | { readonly name: "moved"; readonly forces: Evaluation }
  /** The run has ended in an earlier step, which a device has reported late. */
  | { readonly name: "over"; readonly forces: Evaluation };

/** The phase of one batch. A change of the phase allocates nothing, because all phases exist from the start. */
export class BatchPhase {
  /** The last evaluation. The object is changed in place, because each step has an evaluation. */
  readonly forces: Evaluation = { step: undefined, hasEnergy: false };
  readonly #unprimed: Phase = { name: "unprimed" };
  readonly #primed: Phase = { name: "primed", forces: this.forces };
  readonly #moved: Phase = { name: "moved", forces: this.forces };
  readonly #over: Phase = { name: "over", forces: this.forces };
  #now: Phase = this.#unprimed;

  /** The current phase. */
  get now(): Phase {
    return this.#now;
  }

  /** True if forces have been computed, even in an earlier step. */
  get hasForces(): boolean {
    return this.#now !== this.#unprimed;
  }

  /** True if the run has ended in an earlier step. */
  get isOver(): boolean {
    return this.#now === this.#over;
  }

  /** Records an evaluation of the model. */
  evaluated(step: number, hasEnergy: boolean): void {
    this.forces.step = step;
    this.forces.hasEnergy = hasEnergy;
  }

  /** Records that the forces belong to the current positions. */
  prime(): void {
    this.#now = this.#primed;
  }

  /** Records that the forces do not belong to the positions any more. */
  unprime(): void {
    this.#now = this.#unprimed;
  }

  /** Records that the atoms have moved, so that the forces are those of the previous step. */
  move(): void {
    this.#now = this.#moved;
  }

  /** Records that the run has ended. */
  end(): void {
    this.#now = this.#over;
  }

  /** Prepares for another run after the end of one. The forces are those of the last step. */
  resume(): void {
    if (this.isOver) this.#now = this.#primed;
  }

  /** Copies the phase of the batch that this one replaces. */
  copy(other: BatchPhase): void {
    Object.assign(this.forces, other.forces);
    this.#now = other.hasForces ? this.#primed : this.#unprimed;
  }
}
