/**
 * The stages of the systems of a batch.
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

/** Stages in a row: from `first` on, before `end`. */
export interface StageRange {
  /** The number of the first. */
  readonly first: number;
  /** The number after the last. */
  readonly end: number;
}

/** The maximum number of steps of a system in some stages together. */
export interface StageBudget extends StageRange {
  /** Steps. */
  readonly steps: number;
}

/** A range with all stages. */
const ALL: StageRange = { first: -(2 ** 30), end: 2 ** 30 };

/** The stages of a run, on a batch. */
export class OpenStages {
  /** Number of stages: a system with this status is finished. */
  readonly count: number;
  /** The stage that each system is in. */
  readonly status: Buffer<"i32">;
  /** The stage in which each did its last step. */
  readonly stage: Buffer<"i32">;
  /** Steps of each system in each stage. */
  readonly steps: Buffer<"i32">;
  /** Move systems on that have done all steps of a stage. */
  readonly budgets: readonly KernelCall[];
  /** Masks of the systems that have spent a budget in this step, one list per budget. */
  readonly spent: readonly Buffer<"i32">[];
  readonly #state: ResidentBatch;
  readonly #awake: Buffer<"i32">;
  /** Stages of systems when they were admitted, or when the user last set them. */
  #came: { readonly status: NumericArray; readonly steps: Int32Array };
  /** The same steps when each system began with the first of its stages. */
  readonly #begun: Buffer<"i32">;

  /** Throws a RangeError for a system that is in no stage. */
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

  /** Returns the stages of systems on the host, and the steps done in each. */
  #coming(): { readonly status: NumericArray; readonly steps: Int32Array } {
    const { batch } = this.#state;
    return {
      status: batch.ensure("status").slice(),
      steps: countStages(batch, this.count).slice(),
    };
  }

  /** Calls in a row, each for the systems of some stages alone. */
  each(
    parts: readonly (readonly [range: StageRange, calls: readonly KernelCall[]])[],
  ): KernelCall[] {
    const full = parts.filter(([, calls]) => calls.length > 0);
    if (full.length === 0) return [];
    const calls = full.flatMap(([range, calls], i) => [this.enter(range, i === 0), ...calls]);
    return [...calls, this.leave()];
  }

  /**
   * Restricts the following kernels to systems of these stages; with `isAfter`, to systems that were in them
   * during the last step.
   */
  enter({ first, end }: StageRange, notes = true, isAfter = false): KernelCall {
    const status = isAfter ? this.stage : this.status;
    return call(enterStage, { awake: this.#awake, status, first, end, notes: notes ? 1 : 0 });
  }

  /** Lifts the restriction. */
  leave(): KernelCall {
    return this.enter(ALL, false);
  }

  /** Notes the end of a step. */
  counted(): KernelCall {
    const { status, stage, steps, count: stages } = this;
    return call(countStage, { status, stage, steps, stages });
  }

  /** Restarts systems whose stage was set by the user, with the state of integrators. */
  restart(systems: ReadonlySet<number>): void {
    const { batch } = this.#state;
    assertStatus(batch.ensure("status"), batch.infos);
    this.#came = this.#coming();
    this.#state.resetScoped(systems);
    this.#state.writeRows(this.#begun, systems, countStages(batch, this.count), this.count);
    this.#state.writeRows(this.stage, systems, batch.ensure("status"));
  }

  /** Returns whether a system was admitted to a later stage than these, and has done no step in them. */
  hasPassed(system: number, stages: readonly number[]): boolean {
    const { status, steps } = this.#came;
    return stages.every((stage) =>
      stage < status[system]! && steps[this.count * system + stage] === 0
    );
  }

  /** Stops updating systems that have been through all stages. */
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
    } must be the number of a stage, 0 or more; got ${status[system]}`,
  );
}
