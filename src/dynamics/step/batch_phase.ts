/**
 * The state of a batch between the parts of its steps.
 *
 * @module
 */

/** The last evaluation of the model. */
export interface Evaluation {
  /** The step that the forces belong to: a hook that is due at some steps only may have modified them. */
  step: number | undefined;
  /** True if energies (and stresses) are up to date as well as forces. */
  hasEnergy: boolean;
}

/** A phase of a batch, and the state of its forces in that phase. */
export type Phase =
  /** The forces do not belong to the positions: a run begins with an evaluation. */
  | { readonly name: "unprimed" }
  /** The forces belong to the positions. */
  | { readonly name: "primed"; readonly forces: Evaluation }
  /** The atoms have moved in the current step, and the forces are those of the step before. */
  | { readonly name: "moved"; readonly forces: Evaluation }
  /** The run has turned out to have ended in an earlier step: devices report that late. */
  | { readonly name: "over"; readonly forces: Evaluation };

/** The phase of one batch. Changing it allocates nothing: each phase is made once. */
export class BatchPhase {
  /** The last evaluation; changed in place, as each step has one. */
  readonly forces: Evaluation = { step: undefined, hasEnergy: false };
  readonly #unprimed: Phase = { name: "unprimed" };
  readonly #primed: Phase = { name: "primed", forces: this.forces };
  readonly #moved: Phase = { name: "moved", forces: this.forces };
  readonly #over: Phase = { name: "over", forces: this.forces };
  #now: Phase = this.#unprimed;

  /** The phase now. */
  get now(): Phase {
    return this.#now;
  }

  /** True if forces have been evaluated, be it in an earlier step. */
  get hasForces(): boolean {
    return this.#now !== this.#unprimed;
  }

  /** True if the run has turned out to be over. */
  get isOver(): boolean {
    return this.#now === this.#over;
  }

  /** Notes an evaluation. */
  evaluated(step: number, hasEnergy: boolean): void {
    this.forces.step = step;
    this.forces.hasEnergy = hasEnergy;
  }

  /** Notes that the forces belong to the current positions. */
  prime(): void {
    this.#now = this.#primed;
  }

  /** Notes that the forces do not belong to the positions any more. */
  unprime(): void {
    this.#now = this.#unprimed;
  }

  /** Notes that the atoms have moved, so that the forces are those of the previous step. */
  move(): void {
    this.#now = this.#moved;
  }

  /** Ends the run. */
  end(): void {
    this.#now = this.#over;
  }

  /** Goes on after the end of a run: the forces are those of its last step. */
  resume(): void {
    if (this.isOver) this.#now = this.#primed;
  }

  /** Takes over the phase of another batch that this one replaces. */
  copy(other: BatchPhase): void {
    Object.assign(this.forces, other.forces);
    this.#now = other.hasForces ? this.#primed : this.#unprimed;
  }
}
