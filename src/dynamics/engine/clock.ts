/**
 * The time of the systems of a run.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { isObject } from "../../base/object.ts";
import type { Integrator } from "../integrators/integrator.ts";
import { type PerSystem, perSystem } from "../integrators/parameters.ts";
import { STAGE_STEPS } from "../stages/stage_steps.ts";

/** The field of the batch in which the time is kept between runs. */
const TIME = "time";

/** The start of a clock, one entry per system: plain data. */
export interface SavedClock {
  /** Number of steps that each system had done. */
  readonly begun: Int32Array;
  /** Time of each system after those steps, fs. */
  readonly before: Float64Array;
}

/** Counts the time of the steps that one integrator runs on a batch, from the time in the batch on. */
export class Clock {
  /** The field that counts the steps: if the integrator has stages, those of each stage, in a row per system. */
  readonly counter: "stepsDone" | typeof STAGE_STEPS;
  /** The time of a step, of each stage; `undefined` where no steps take any. */
  readonly #dt: readonly PerSystem[] | undefined;
  readonly #batch: Batch;
  /** The same for each system, once it was asked for. */
  #dts: readonly Float64Array[] | undefined;
  readonly #begun: Int32Array;
  readonly #before: Float64Array;
  /** Number of steps of each system at the last update. */
  #left: Int32Array;

  /** Ignores earlier steps of other integrators, except for the field `time`, which continues. */
  constructor(batch: Batch, { dt, stages }: Pick<Integrator, "dt" | "stages">) {
    this.counter = stages === undefined ? "stepsDone" : STAGE_STEPS;
    this.#dt = dt === undefined ? undefined : stages?.map(({ dt = 0 }) => dt) ?? [dt];
    this.#batch = batch;
    // Fields are read at once: later an engine holds them.
    if (this.#dt?.some((dt) => isObject(dt) && "field" in dt)) this.#dts = this.#readDts();
    this.#begun = this.#steps(batch).slice();
    this.#left = this.#begun.slice();
    this.#before = Float64Array.from({ length: batch.size }, (_, system) => {
      const before = batch.has(TIME) ? batch.get(TIME)[system]! : 0;
      return Number.isFinite(before) ? before : 0;
    });
  }

  /** Returns the time of each system after its number of steps, fs; NaN if steps take no time. */
  at(steps: Int32Array): Float64Array {
    const stages = this.#dts ??= this.#readDts();
    const each = stages.length;
    return this.#before.map((before, system) => {
      let time = before;
      for (const [k, dt] of stages.entries()) {
        const i = each * system + k;
        time += dt[system]! * (steps[i]! - this.#begun[i]!);
      }
      return time;
    });
  }

  /** Returns whether the batch is as it was left: no other engine has run it, and its time was not set. */
  isOf(batch: Batch): boolean {
    if (this.#dt === undefined) return true;
    const [times, steps] = [batch.has(TIME) ? batch.get(TIME) : [], this.#steps(batch)];
    return this.#left.every((left, i) => left === steps[i]) &&
      this.at(this.#left).every((time, s) => time === times[s]);
  }

  /** Leaves the time in the batch for the next integrator, if steps take any. */
  keep(batch: Batch): void {
    this.#left = this.#steps(batch).slice();
    this.note(batch);
  }

  /** Goes on counting for systems that were in other slots of this or of another clock. */
  carry({ begun, before }: SavedClock, from: readonly (number | undefined)[]): void {
    for (const [place, old] of from.entries()) {
      if (old === undefined) continue;
      const each = this.#each;
      this.#begun.set(begun.subarray(each * old, each * old + each), each * place);
      this.#before[place] = before[old]!;
    }
  }

  /** Starts the count of new systems. */
  admit(batch: Batch, places: Iterable<number>): void {
    for (const place of places) {
      const before = batch.has(TIME) ? batch.get(TIME)[place]! : 0;
      const each = this.#each, first = each * place;
      this.#begun.set(this.#steps(batch).subarray(first, first + each), first);
      this.#before[place] = Number.isFinite(before) ? before : 0;
    }
  }

  /** Returns the start of the clock, for a checkpoint. */
  save(): SavedClock {
    return { begun: this.#begun.slice(), before: this.#before.slice() };
  }

  /** Writes the time of each system into a batch, if steps take time. */
  note(batch: Batch): void {
    if (this.#dt === undefined) return;
    const options = { level: "system", dtype: "f64", unit: "fs", fill: 0 } as const;
    batch.set(TIME, this.at(this.#steps(batch)), batch.has(TIME) ? {} : options);
  }

  #readDts(): Float64Array[] {
    return (this.#dt ?? [NaN]).map((dt) => perSystem("a run", "dt", dt, this.#batch));
  }

  /** Counters of each system. */
  get #each(): number {
    return this.#begun.length / this.#before.length;
  }

  #steps(batch: Batch): Int32Array {
    return batch.ensure(this.counter) as Int32Array;
  }
}
