/**
 * The plan that the steps of a batch follow at the time.
 *
 * @module
 */

import type { KernelCall, Program } from "../../backend/backend.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { isThenable } from "../../base/sequence.ts";
import type { Loop } from "../../hooks/loop/loop.ts";
import type { DynamicsKind } from "../engine/dynamics_options.ts";
import type { StepPlan } from "./step_plan.ts";

/**
 * Holds the plan of a step, makes a new one after hooks have changed, and runs programs. While an evaluation is pending,
 * and while there is no plan on a device, nothing else may run: `unready` says so.
 */
export class CurrentPlan {
  readonly #state: ResidentBatch;
  readonly #loop: Loop<DynamicsKind>;
  readonly #make: () => StepPlan;
  #plan: StepPlan | undefined;
  #pending: PromiseLike<void> | undefined;

  /** `make` plans a step for the hooks of the time. */
  constructor(state: ResidentBatch, loop: Loop<DynamicsKind>, make: () => StepPlan) {
    this.#state = state;
    this.#loop = loop;
    this.#make = make;
  }

  /** The plan, which is made now if it does not exist. */
  get now(): StepPlan {
    return this.#plan ??= this.#make();
  }

  /** The plan, if there is one. */
  get known(): StepPlan | undefined {
    return this.#plan;
  }

  /** Drops the plan: something that it depends on has changed. */
  forget(): void {
    if (this.#plan === undefined) return;
    this.#state.freePrograms(this.#plan.programs);
    this.#plan = undefined;
  }

  /** The pending evaluation; `undefined` if no evaluation is pending. */
  get pending(): PromiseLike<void> | undefined {
    return this.#pending;
  }

  /** Returns the work that must come first: a pending evaluation, or the values from which a plan is made. */
  unready(): void | PromiseLike<void> {
    if (this.#pending !== undefined) return this.#pending;
    if (this.#plan === undefined) return this.#state.refreshMirror();
  }

  /** Waits until `unready` has no more work. */
  async ready(): Promise<void> {
    for (let waiting; (waiting = this.unready()) !== undefined;) await waiting;
  }

  /** Blocks later work until an evaluation settles, even if the caller does not await it. */
  hold(waiting: void | PromiseLike<void>): void | PromiseLike<void> {
    if (!isThenable(waiting)) return;
    const over = () => void (this.#pending = undefined);
    return this.#pending = waiting.then(over, (error) => {
      over();
      throw error;
    });
  }

  /** Runs a program, if there is one, for the current step or another. */
  run(program: Program | undefined, step: number = this.#loop.stepCount): void {
    if (program !== undefined) this.#state.run(program, step, 1);
  }

  /** Runs calls that are not part of the plan. */
  runOnce(calls: readonly KernelCall[]): void {
    const program = this.#state.prepare(calls);
    this.run(program);
    this.#state.freePrograms([program]);
  }
}
