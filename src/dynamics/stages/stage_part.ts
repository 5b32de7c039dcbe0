/**
 * The systems of a stage, as the hooks of that stage see them.
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

/** The engine that runs the stages. */
export interface StageHost {
  /** The batch it has at the time. */
  readonly state: ResidentBatch;
}

/** A lent field: the rows of the stage, and the field that they belong to. */
interface Lent {
  readonly rows: NumericArray;
  readonly whole: NumericArray;
}

/** The part of an engine that is in one of its stages, or in several in a row. */
export class StagePart implements Part {
  /** Unique name. */
  name: string;
  readonly workflow: Workflow;
  readonly keys: readonly string[] = ["status"];
  readonly context: PropertyDescriptorMap;
  /** Numbers of its stages among those of the run. */
  range: StageRange;
  /** Returns the engine that runs them. */
  host: () => StageHost;
  #rows: SystemRows | undefined;
  #mask: ArrayLike<number> = [];
  readonly #lent = new Map<string, Lent>();

  /** `workflow` is the engine of the stage. */
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

  /** Hooks also read the fields of the stage's own engine. */
  extend(fields: object): void {
    for (const [name, value] of Object.entries(fields)) {
      if (name !== "batch" && name !== "stream") this.context[name] = { value, enumerable: true };
    }
  }

  /** The number of the first stage. */
  get first(): number {
    return this.range.first;
  }

  /** The number after the last. */
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

  /** Returns whether a system of these stages has converged, or has entered them. */
  #isTold(stage: string, event: StageEvent, places: readonly number[]): boolean {
    if (stage === DynamicsStage.ON_CONVERGE) return places.some((s) => event.mask[s] !== 0);
    return places.some((s) => event.mask[s] !== 0 && !this.#has(event.stage[s]!));
  }

  #has(stage: number): boolean {
    return this.range.first <= stage && stage < this.range.end;
  }

  /** Returns the systems in its stages; the same object as before if they have not changed. */
  #rowsOf(stages: ArrayLike<number>): SystemRows {
    const { batch } = this.host().state;
    if (this.#rows?.isFor(batch) === true && this.#isAsBefore(stages)) return this.#rows;
    const places: number[] = [];
    for (let s = 0; s < batch.size; s++) if (this.#has(stages[s]!)) places.push(s);
    return this.#rows = new SystemRows(batch, places);
  }

  // Asked at each stage that is visited, so without a new list.
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

/** Returns the rows of a field as hooks of the stage read them. */
function viewOf(rows: SystemRows, field: string, value: unknown): unknown {
  const own = rows.of(field, value);
  if (own === value || !ArrayBuffer.isView(own)) return own;
  const numbers = own as NumericArray;
  return readView(numbers, () => rowsIn(rows.batch, field, numbers.length));
}

/** Returns the mask of an event as a context has it. */
function masksOf(stage: string, mask: Int32Array): object {
  return stage === DynamicsStage.ON_CONVERGE ? { convergedMask: mask } : { admittedMask: mask };
}

function eventIn(ctx: object): StageEvent | undefined {
  return (ctx as { readonly [STAGE_EVENT]?: StageEvent })[STAGE_EVENT];
}

function statusOf(state: ResidentBatch, backend: Backend): Int32Array {
  return backend.view(state.field<"i32">("status"));
}

/** Returns the stages that an event is about: systems converge in the stage before, and enter the stage after the step. */
function membersAt(stage: string, { stage: was, status }: StageEvent): Int32Array {
  return stage === DynamicsStage.ON_CONVERGE ? was : status;
}
