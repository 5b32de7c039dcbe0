/**
 * What keeps the systems of a batch in stages of their own.
 *
 * @module
 */

import { type Buffer, type Call, call } from "../../backend/backend.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
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

/** How many steps a system may spend in some stages together. */
export interface StageBudget extends StageRange {
  /** Steps. */
  readonly steps: number;
}

/** Where all systems are in. */
const ALL: StageRange = { first: -(2 ** 30), end: 2 ** 30 };

/** The stages of a run, on a batch. */
export class OpenStages {
  /** How many there are: a system of this status is done. */
  readonly count: number;
  /** The stage that each system is in. */
  readonly status: Buffer<"i32">;
  /** The stage in which each did its last step. */
  readonly stage: Buffer<"i32">;
  /** Steps of each system in each stage. */
  readonly steps: Buffer<"i32">;
  /** What sends on those that have spent their steps. */
  readonly budgets: readonly Call[];
  /** 1 for each that has in this step; one list for each budget. */
  readonly spent: readonly Buffer<"i32">[];
  readonly #state: ResidentBatch;
  readonly #awake: Buffer<"i32">;
  /** Where systems were when they came, or when that was last changed from outside. */
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
    assertStatus(state.batch.ensure("status"));
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

  /** Where systems are on the host, and what they have done. */
  #coming(): { readonly status: NumericArray; readonly steps: Int32Array } {
    const { batch } = this.#state;
    return {
      status: batch.ensure("status").slice(),
      steps: countStages(batch, this.count).slice(),
    };
  }

  /** Calls in a row, each for the systems of some stages alone. */
  each(parts: readonly (readonly [range: StageRange, calls: readonly Call[]])[]): Call[] {
    const full = parts.filter(([, calls]) => calls.length > 0);
    if (full.length === 0) return [];
    const calls = full.flatMap(([range, calls], i) => [this.enter(range, i === 0), ...calls]);
    return [...calls, this.leave()];
  }

  /** From now on only systems of these stages move; `isAfter`: that were in them in the step that was done. */
  enter({ first, end }: StageRange, notes = true, isAfter = false): Call {
    const status = isAfter ? this.stage : this.status;
    return call(enterStage, { awake: this.#awake, status, first, end, notes: notes ? 1 : 0 });
  }

  /** All move again. */
  leave(): Call {
    return this.enter(ALL, false);
  }

  /** The end of a step. */
  counted(): Call {
    const { status, stage, steps, count: stages } = this;
    return call(countStage, { status, stage, steps, stages });
  }

  /** Systems whose stage was set from outside: they begin anew, with all that schemes keep. */
  restart(systems: ReadonlySet<number>): void {
    const { batch } = this.#state;
    assertStatus(batch.ensure("status"));
    this.#came = this.#coming();
    this.#state.resetScoped(systems);
    this.#state.writeRows(this.#begun, systems, countStages(batch, this.count), this.count);
    this.#state.writeRows(this.stage, systems, batch.ensure("status"));
  }

  /** Has a system come into the batch beyond all of these stages, with no step in any of them? */
  hasPassed(system: number, stages: readonly number[]): boolean {
    const { status, steps } = this.#came;
    return stages.every((stage) =>
      stage < status[system]! && steps[this.count * system + stage] === 0
    );
  }

  /** Those that have been through all stages do not move. */
  rest(): void | PromiseLike<void> {
    const { status, count } = this;
    const { active } = this.#state.frame;
    return this.#state.withArrays({ status, active }, ["active"], ({ status, active }) => {
      for (let s = 0; s < active.length; s++) if (status[s]! >= count) active[s] = 0;
    });
  }
}

function assertStatus(status: ArrayLike<number>): void {
  const system = Array.from(status).findIndex((stage) => stage < 0);
  if (system === -1) return;
  throw new RangeError(
    `Cannot run stages as the status of system ${system} must be the number of one, from 0 on: current value is ${
      status[system]
    }`,
  );
}
