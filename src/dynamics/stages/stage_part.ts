/**
 * The systems of a stage, in the form that the hooks of the stage receive them.
 *
 * @module
 */

import type { Backend } from "../../backend/backend.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import type { Part, Share } from "../../hooks/protocol/part.ts";
import { readView } from "../../hooks/run/read_view.ts";
import type { FieldValues } from "../../hooks/run/reads.ts";
import type { StageRange } from "./open_stages.ts";
import { STAGE_EVENT, type StageEvent } from "./stage_changes.ts";
import { DynamicsStage } from "../stages.ts";
import { rowsIn, SystemRows } from "../engine/system_rows.ts";

/** The members of a fused engine that {@linkcode StagePart} uses. */
export interface StageHost {
  /** The current batch on its device. */
  readonly state: ResidentBatch;
}

/** A field that was lent to a hook: a copy of the stage's rows, and the whole field to which they return. */
interface Lent {
  readonly rows: NumericArray;
  readonly whole: NumericArray;
}

/** Presents one stage of a fused engine, or several consecutive ones, to the hooks of that stage. */
export class StagePart implements Part {
  /** Unique name of the stage. */
  name: string;
  readonly workflow: Workflow;
  readonly keys: readonly string[] = ["status"];
  readonly context: PropertyDescriptorMap;
  /** Range of its stages among all stages of the run. */
  range: StageRange;
  /** Returns the fused engine that runs the stages. */
  host: () => StageHost;
  #rows: SystemRows | undefined;
  #mask: ArrayLike<number> = [];
  readonly #lent = new Map<string, Lent>();

  /** Creates the part. `workflow` is the engine of the stage. */
  constructor(name: string, workflow: Workflow, range: StageRange, host: () => StageHost) {
    this.name = name;
    this.workflow = workflow;
    this.range = range;
    this.host = host;
    this.context = {
      workflow: { value: workflow, enumerable: true },
      batch: { get: () => this.#rows!.batch, enumerable: true },
      convergedMask: { get: () => this.#rows!.masked(this.#mask), enumerable: true },
      admittedMask: { get: () => this.#rows!.masked(this.#mask), enumerable: true },
    };
  }

  /** Adds the context fields of the stage's engine to the context of its hooks. */
  extend(fields: object): void {
    for (const [name, value] of Object.entries(fields)) {
      if (name !== "batch" && name !== "stream") this.context[name] = { value, enumerable: true };
    }
  }

  /** Index of the first stage. */
  get first(): number {
    return this.range.first;
  }

  /** Index after the last stage. */
  get end(): number {
    return this.range.end;
  }

  isFirst(stage: string): boolean {
    return !stage.includes("/BEFORE_");
  }

  isPresent(stage: string, ctx: object): boolean {
    const event = eventIn(ctx);
    const { state, state: { backend } } = this.host();
    if (event === undefined && !backend.isHost) return true;
    const stages = event === undefined ? statusOf(state, backend) : membersAt(stage, event);
    const places = this.#rowsOf(stages).places;
    this.#mask = event?.mask ?? [];
    return event === undefined ? places.length > 0 : this.#isTold(stage, event, places);
  }

  read(field: string, value: unknown): unknown {
    return viewOf(this.#rows!, field, value);
  }

  lend(field: string, value: unknown): unknown {
    const rows = this.#rows!;
    if (rows.isAll) return value;
    let lent = this.#lent.get(field);
    if (lent === undefined) {
      lent = { rows: rows.of(field, value) as NumericArray, whole: value as NumericArray };
      this.#lent.set(field, lent);
    }
    return lent.rows;
  }

  giveBack(): void {
    for (const [field, { rows, whole }] of this.#lent) this.#rows!.put(field, rows, whole);
    this.#lent.clear();
  }

  share(values: FieldValues, stage: string, ctx: object): Share | undefined {
    const event = eventIn(ctx);
    const stages = event === undefined ? values.status as Int32Array : membersAt(stage, event);
    const rows = this.#rowsOf(stages);
    const isTold = event === undefined || this.#isTold(stage, event, rows.places);
    if (rows.places.length === 0 || !isTold) return undefined;
    const own = Object.fromEntries(
      Object.entries(values).map(([field, value]) => [field, viewOf(rows, field, value)]),
    );
    return {
      values: own,
      context: {
        batch: rows.batch,
        ...(event === undefined ? {} : masksOf(stage, rows.masked(event.mask))),
      },
      whole: (fields) =>
        Object.fromEntries(
          [...fields].map((field) => {
            const whole = values[field] as NumericArray;
            if (!rows.isAll) rows.put(field, own[field] as NumericArray, whole);
            return [field, whole];
          }),
        ),
    };
  }

  /**
   * Returns whether hooks of the stage receive an event: a system has converged in these stages, or has entered them
   * from another stage.
   */
  #isTold(stage: string, event: StageEvent, places: readonly number[]): boolean {
    if (stage === DynamicsStage.ON_CONVERGE) return places.some((s) => event.mask[s] !== 0);
    return places.some((s) => event.mask[s] !== 0 && !this.#has(event.stage[s]!));
  }

  #has(stage: number): boolean {
    return this.range.first <= stage && stage < this.range.end;
  }

  /** Returns the systems in these stages. While they do not change, it returns the same object. */
  #rowsOf(stages: ArrayLike<number>): SystemRows {
    const { batch } = this.host().state;
    if (this.#rows?.isFor(batch) === true && this.#isAsBefore(stages)) return this.#rows;
    const places: number[] = [];
    for (let s = 0; s < batch.size; s++) if (this.#has(stages[s]!)) places.push(s);
    return this.#rows = new SystemRows(batch, places);
  }

  // This runs for each stage at which a hook is due, so it must not allocate a list.
  // hot
  #isAsBefore(stages: ArrayLike<number>): boolean {
    const { places } = this.#rows!;
    let count = 0;
    for (let s = 0; s < stages.length; s++) {
      if (!this.#has(stages[s]!)) continue;
      if (places[count] !== s) return false;
      count++;
    }
    return count === places.length;
  }
}

/** Returns the rows of a field that belong to the systems of the stage, as its hooks receive them. */
function viewOf(rows: SystemRows, field: string, value: unknown): unknown {
  const own = rows.of(field, value);
  if (own === value || !ArrayBuffer.isView(own)) return own;
  const numbers = own as NumericArray;
  return readView(numbers, () => rowsIn(rows.batch, field, numbers.length));
}

/** Returns the mask of an event as a context field: `convergedMask` at ON_CONVERGE, otherwise `admittedMask`. */
function masksOf(stage: string, mask: Int32Array): object {
  return stage === DynamicsStage.ON_CONVERGE ? { convergedMask: mask } : { admittedMask: mask };
}

function eventIn(ctx: object): StageEvent | undefined {
  return (ctx as { readonly [STAGE_EVENT]?: StageEvent })[STAGE_EVENT];
}

function statusOf(state: ResidentBatch, backend: Backend): Int32Array {
  return backend.view(state.field<"i32">("status"));
}

/**
 * Returns the stage of each system that counts for an event: the one before the step's changes at ON_CONVERGE, and
 * the one after them at ON_ADMIT.
 */
function membersAt(stage: string, { stage: was, status }: StageEvent): Int32Array {
  return stage === DynamicsStage.ON_CONVERGE ? was : status;
}
