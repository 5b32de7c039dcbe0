/**
 * The stages of the systems of a batch in a fused run.
 *
 * @module
 */

import { type Buffer, call, type KernelCall } from "../../backend/backend.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { type Info, systemName } from "../../batch/store.ts";
import { countStage } from "../../kernels/converge/count_stage.ts";
import { enterStage } from "../../kernels/converge/enter_stage.ts";
import { spendBudget } from "../../kernels/converge/spend_budget.ts";
import { countStages, STAGE_STEPS } from "./stage_steps.ts";

/** A range of stages, from `first` up to, but not including, `end`. */
export interface StageRange {
  /** Index of the first stage. */
  readonly first: number;
  /** Index after the last stage. */
  readonly end: number;
}

/** Limit of the steps of a system in a range of stages. */
export interface StageBudget extends StageRange {
  /** Largest number of steps in all of these stages together. */
  readonly steps: number;
}

/** The range of all possible status values. */
const ALL: StageRange = { first: -(2 ** 30), end: 2 ** 30 };

/** The stages of a fused run, for one batch. */
export class OpenStages {
  /** Number of stages. A system with this status is finished. */
  readonly count: number;
  /** Index of the current stage of each system. */
  readonly status: Buffer<"i32">;
  /** Index of the stage in which each system did its last step. */
  readonly stage: Buffer<"i32">;
  /** Number of steps of each system in each stage, one row per system. */
  readonly steps: Buffer<"i32">;
  /** Kernels that move systems to the next stage when they have done all steps of a budget. */
  readonly budgets: readonly KernelCall[];
  /** One buffer per budget, with 1 for each system that has used up the budget in this step. */
  readonly spent: readonly Buffer<"i32">[];
  readonly #state: ResidentBatch;
  readonly #awake: Buffer<"i32">;
  /** Status and step counts of the systems at their admission, or when the user last set their status. */
  #came: { readonly status: NumericArray; readonly steps: Int32Array };
  /** Step counts of each system when it began its first stage, one row per system. */
  readonly #begun: Buffer<"i32">;

  /** Throws a RangeError if the status of a system is negative. */
  constructor(state: ResidentBatch, count: number, budgets: readonly StageBudget[]) {
    this.#state = state;
    this.count = count;
    const own = (name: string) => state.scratch(name, { dtype: "i32", level: "system" });
    const initial = countStages(state.batch, count);
    this.status = state.field<"i32">("status");
    assertStatus(state.batch.ensure("status"), state.batch.infos);
    this.#came = this.#coming();
    this.steps = state.field<"i32">(STAGE_STEPS);
    this.#begun = state.state("stageBegun", { dtype: "i32", level: "system", width: count });
    state.backend.write(this.#begun, initial);
    this.#awake = own("awake");
    this.stage = state.state("lastStage", { dtype: "i32", level: "system" });
    state.backend.write(this.stage, state.batch.ensure("status"));
    this.spent = budgets.map((_, i) => own(`spent ${i}`));
    this.budgets = budgets.map(({ first, end, steps: budget }, i) =>
      call(spendBudget, {
        status: this.status,
        steps: this.steps,
        begun: this.#begun,
        spent: this.spent[i]!,
        stages: count,
        first,
        end,
        budget,
        stop: end === count ? 1 : 0,
      })
    );
  }

  /** Returns copies of the status and the step counts of all systems on the host. */
  #coming(): { readonly status: NumericArray; readonly steps: Int32Array } {
    const { batch } = this.#state;
    return {
      status: batch.ensure("status").slice(),
      steps: countStages(batch, this.count).slice(),
    };
  }

  /** Returns kernel calls in sequence. Each group of calls runs only for the systems in its range of stages. */
  each(
    parts: readonly (readonly [range: StageRange, calls: readonly KernelCall[]])[],
  ): KernelCall[] {
    const full = parts.filter(([, calls]) => calls.length > 0);
    if (full.length === 0) return [];
    const calls = full.flatMap(([range, calls], i) => [this.enter(range, i === 0), ...calls]);
    return [...calls, this.leave()];
  }

  /**
   * Returns the call after which kernels run only for the systems in a range of stages. If `isAfter` is true, they
   * run for the systems that did their last step in these stages. The first call of a sequence needs `notes`: it saves
   * the active systems, to which later calls refer.
   */
  enter({ first, end }: StageRange, notes = true, isAfter = false): KernelCall {
    const status = isAfter ? this.stage : this.status;
    return call(enterStage, { awake: this.#awake, status, first, end, notes: notes ? 1 : 0 });
  }

  /** Returns the call after which kernels run for all active systems again. */
  leave(): KernelCall {
    return this.enter(ALL, false);
  }

  /** Returns the call that counts a finished step in the stage of each system. */
  counted(): KernelCall {
    const { status, stage, steps, count: stages } = this;
    return call(countStage, { status, stage, steps, stages });
  }

  /** Restarts systems whose stage the user has set. The state of their integrators is reset. */
  restart(systems: ReadonlySet<number>): void {
    const { batch } = this.#state;
    assertStatus(batch.ensure("status"), batch.infos);
    this.#came = this.#coming();
    this.#state.resetScoped(systems);
    this.#state.writeRows(this.#begun, systems, countStages(batch, this.count), this.count);
    this.#state.writeRows(this.stage, systems, batch.ensure("status"));
  }

  /** Returns whether a system was admitted to a later stage than all of `stages`, and has done no step in them. */
  hasPassed(system: number, stages: readonly number[]): boolean {
    const { status, steps } = this.#came;
    return stages.every((stage) =>
      stage < status[system]! && steps[this.count * system + stage] === 0
    );
  }

  /** Deactivates systems that have finished all stages. */
  rest(): void | PromiseLike<void> {
    const { status, count } = this;
    const { active } = this.#state.frame;
    return this.#state.withArrays({ status, active }, ["active"], ({ status, active }) => {
      for (let s = 0; s < active.length; s++) if (status[s]! >= count) active[s] = 0;
    });
  }
}

function assertStatus(status: ArrayLike<number>, infos: readonly Info[]): void {
  const system = Array.from(status).findIndex((stage) => stage < 0);
  if (system === -1) return;
  throw new RangeError(
    `Cannot run stages: the status of system ${
      systemName(infos, system)
    } must be the index of a stage, 0 or more; got ${status[system]}`,
  );
}
