/**
 * How far in time the systems of a run have come.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import { type Integrator, type PerSystem, perSystem } from "./integrator.ts";
import { STAGE_STEPS } from "./stage_steps.ts";

/** The field of the batch in which the time is kept between runs. */
const TIME = "time";

/** Counts the time of the steps that one scheme does with a batch, from what the batch says it has come to before. */
export class Clock {
  /** The field that counts the steps: where the scheme has stages, those of each by itself, in a row per system. */
  readonly counter: "stepsDone" | typeof STAGE_STEPS;
  /** The time of a step, of each stage; `undefined` where no steps take any. */
  readonly #dt: readonly PerSystem[] | undefined;
  readonly #begun: Int32Array;
  readonly #before: Float64Array;
  /** The steps of each system when it was last left. */
  #left: Int32Array;

  /** Steps that other schemes have done before do not count, but for what they left in the field `time`. */
  constructor(batch: Batch, { dt, stages }: Pick<Integrator, "dt" | "stages">) {
    this.counter = stages === undefined ? "stepsDone" : STAGE_STEPS;
    this.#dt = dt === undefined ? undefined : stages?.map(({ dt = 0 }) => dt) ?? [dt];
    this.#begun = this.#left = this.#steps(batch).slice();
    this.#before = Float64Array.from({ length: batch.size }, (_, system) => {
      const before = batch.has(TIME) ? batch.get(TIME)[system]! : 0;
      return Number.isFinite(before) ? before : 0;
    });
  }

  /** The time of each system that has done so many steps, fs; NaN where steps take none. */
  at(steps: Int32Array): Float64Array {
    const all = this.#dt ?? [NaN];
    const { length } = this.#before, each = all.length;
    const stages = all.map((dt) => perSystem("a run", "dt", dt, length));
    return this.#before.map((before, system) => {
      let time = before;
      for (const [k, dt] of stages.entries()) {
        const i = each * system + k;
        time += dt[system]! * (steps[i]! - this.#begun[i]!);
      }
      return time;
    });
  }

  /** Is the batch as it was left, or have others done steps with it, or set its time? */
  isOf(batch: Batch): boolean {
    if (this.#dt === undefined) return true;
    const [times, steps] = [batch.has(TIME) ? batch.get(TIME) : [], this.#steps(batch)];
    return this.#left.every((left, i) => left === steps[i]) &&
      this.at(this.#left).every((time, s) => time === times[s]);
  }

  /** Leaves the time in the batch, for the next scheme, if steps take any. */
  keep(batch: Batch): void {
    this.#left = this.#steps(batch).slice();
    this.note(batch);
  }

  /** Writes the time into a batch that has done so many steps, if steps take any. */
  note(batch: Batch): void {
    if (this.#dt === undefined) return;
    const options = { level: "system", dtype: "f64", unit: "fs", fill: 0 } as const;
    batch.set(TIME, this.at(this.#steps(batch)), batch.has(TIME) ? {} : options);
  }

  #steps(batch: Batch): Int32Array {
    return batch.ensure(this.counter) as Int32Array;
  }
}
