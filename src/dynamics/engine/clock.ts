/**
 * Simulated time of the systems of a run.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { isObject } from "../../base/object.ts";
import type { Integrator } from "../integrators/integrator.ts";
import { type PerSystem, perSystem } from "../integrators/parameters.ts";
import { STAGE_STEPS } from "../stages/stage_steps.ts";

/** Name of the field in which the batch keeps the time between runs. */
const TIME = "time";

/** State of a clock as plain data, one entry per system. */
export interface SavedClock {
  /** Number of steps that each system had done when the clock started; one number per stage if there are several. */
  readonly begun: Int32Array;
  /** Time of each system when the clock started, fs. */
  readonly before: Float64Array;
}

/** Computes the time of each system from the steps that one integrator runs, starting from the time in the batch. */
export class Clock {
  /**
   * Name of the field that counts the steps. If the integrator has stages, the field has a row per system with the
   * steps in each stage.
   */
  readonly counter: "stepsDone" | typeof STAGE_STEPS;
  /** Time step of each stage, fs; `undefined` if no step takes time. */
  readonly #dt: readonly PerSystem[] | undefined;
  readonly #batch: Batch;
  /** Time step of each stage and system, fs; `undefined` until first needed. */
  #dts: readonly Float64Array[] | undefined;
  readonly #begun: Int32Array;
  readonly #before: Float64Array;
  #viewed: Float64Array | undefined;
  /** Number of steps of each system at the last call of `keep`. */
  #left: Int32Array;

  /** Starts the clock at the time in the field `time`, or at 0 without it. Steps done before do not count. */
  constructor(batch: Batch, { dt, stages }: Pick<Integrator, "dt" | "stages">) {
    this.counter = stages === undefined ? "stepsDone" : STAGE_STEPS;
    this.#dt = dt === undefined ? undefined : stages?.map(({ dt = 0 }) => dt) ?? [dt];
    this.#batch = batch;
    // Time steps from a field are read now, because later an engine holds the field.
    if (this.#dt?.some((dt) => isObject(dt) && "field" in dt)) this.#dts = this.#readDts();
    this.#begun = this.#steps(batch).slice();
    this.#left = this.#begun.slice();
    this.#before = Float64Array.from({ length: batch.size }, (_, system) => {
      const before = batch.has(TIME) ? batch.get(TIME)[system]! : 0;
      return Number.isFinite(before) ? before : 0;
    });
  }

  /**
   * Returns the time of each system, fs; NaN if steps take no time. `steps` has the step counts of each system, one
   * per stage if there are several.
   */
  at(steps: Int32Array): Float64Array {
    return this.#fill(new Float64Array(this.#before.length), steps);
  }

  /** Returns the result of `at` in an array that the next call overwrites, for code that reads times at every step. */
  view(steps: Int32Array): Float64Array {
    this.#viewed ??= new Float64Array(this.#before.length);
    return this.#fill(this.#viewed, steps);
  }

  #fill(times: Float64Array, steps: Int32Array): Float64Array {
    const stages = this.#dts ??= this.#readDts(), begun = this.#begun, each = stages.length;
    times.set(this.#before);
    for (let k = 0; k < each; k++) {
      const dt = stages[k]!;
      for (let system = 0; system < times.length; system++) {
        const i = each * system + k;
        times[system]! += dt[system]! * (steps[i]! - begun[i]!);
      }
    }
    return times;
  }

  /**
   * Returns whether the times and step counts of the batch are those of the last call of `keep`. They change if
   * another engine runs the batch, or the caller sets the time.
   */
  isOf(batch: Batch): boolean {
    if (this.#dt === undefined) return true;
    const [times, steps] = [batch.has(TIME) ? batch.get(TIME) : [], this.#steps(batch)];
    return this.#left.every((left, i) => left === steps[i]) &&
      this.at(this.#left).every((time, s) => time === times[s]);
  }

  /**
   * Records the step counts of the batch. If steps take time, writes the time to the batch, from which the next clock
   * starts.
   */
  keep(batch: Batch): void {
    this.#left = this.#steps(batch).slice();
    this.note(batch);
  }

  /**
   * Copies the state of systems from another clock or other slots. `from` has the slot of each system there, or
   * `undefined` for a new system.
   */
  carry({ begun, before }: SavedClock, from: readonly (number | undefined)[]): void {
    for (const [place, old] of from.entries()) {
      if (old === undefined) continue;
      const each = this.#each;
      this.#begun.set(begun.subarray(each * old, each * old + each), each * place);
      this.#before[place] = before[old]!;
    }
  }

  /** Starts the clock for the new systems in some slots. */
  admit(batch: Batch, places: Iterable<number>): void {
    for (const place of places) {
      const before = batch.has(TIME) ? batch.get(TIME)[place]! : 0;
      const each = this.#each, first = each * place;
      this.#begun.set(this.#steps(batch).subarray(first, first + each), first);
      this.#before[place] = Number.isFinite(before) ? before : 0;
    }
  }

  /** Returns the state of the clock, for a checkpoint. */
  save(): SavedClock {
    return { begun: this.#begun.slice(), before: this.#before.slice() };
  }

  /** Writes the time of each system into a batch. Does nothing if steps take no time. */
  note(batch: Batch): void {
    if (this.#dt === undefined) return;
    const options = { level: "system", dtype: "f64", unit: "fs", fill: 0 } as const;
    batch.set(TIME, this.at(this.#steps(batch)), batch.has(TIME) ? {} : options);
  }

  #readDts(): Float64Array[] {
    return (this.#dt ?? [NaN]).map((dt) => perSystem("a run", "dt", dt, this.#batch));
  }

  /** Number of step counters per system: one per stage. */
  get #each(): number {
    return this.#begun.length / this.#before.length;
  }

  #steps(batch: Batch): Int32Array {
    return batch.ensure(this.counter) as Int32Array;
  }
}
