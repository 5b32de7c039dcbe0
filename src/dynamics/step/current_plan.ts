/**
 * The current plan of the steps of a batch.
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
 * Holds the plan of a step, creates a new one after hooks have changed, and runs programs. While an evaluation is
 * pending, or a device has no plan yet, no other work may run. `unready` returns the work to wait for.
 */
export class CurrentPlan {
  readonly #state: ResidentBatch;
  readonly #loop: Loop<DynamicsKind>;
  readonly #make: () => StepPlan;
  #plan: StepPlan | undefined;
  #pending: PromiseLike<void> | undefined;

  /** Creates the holder without a plan. When a plan is needed, `make` creates it for the current hooks. */
  constructor(state: ResidentBatch, loop: Loop<DynamicsKind>, make: () => StepPlan) {
    this.#state = state;
    this.#loop = loop;
    this.#make = make;
  }

  /** The plan. It is created now if it does not exist. */
  get now(): StepPlan {
    return this.#plan ??= this.#make();
  }

  /** The plan, or `undefined` if it does not exist. */
  get known(): StepPlan | undefined {
    return this.#plan;
  }

  /** Discards the plan, because something that it depends on has changed. */
  forget(): void {
    if (this.#plan === undefined) return;
    this.#state.freePrograms(this.#plan.programs);
    this.#plan = undefined;
  }

  /** The pending evaluation; `undefined` if no evaluation is pending. */
  get pending(): PromiseLike<void> | undefined {
    return this.#pending;
  }

  /**
   * Returns a promise for the work that must be done first: a pending evaluation, or reading the values from which a
   * plan is created. Returns `undefined` if other work may run.
   */
  unready(): void | PromiseLike<void> {
    if (this.#pending !== undefined) return this.#pending;
    if (this.#plan === undefined) return this.#state.refreshMirror();
  }

  /** Waits until `unready` returns `undefined`. */
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

  /** Runs a program for one step, by default the current one. Does nothing if there is no program. */
  run(program: Program | undefined, step: number = this.#loop.stepCount): void {
    if (program !== undefined) this.#state.run(program, step, 1);
  }

  /** Runs kernel calls that are not part of the plan. */
  runOnce(calls: readonly KernelCall[]): void {
    const program = this.#state.prepare(calls);
    this.run(program);
    this.#state.freePrograms([program]);
  }
}
