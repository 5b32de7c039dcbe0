/**
 * How far in time the systems of a run have come.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import { type PerSystem, perSystem } from "./integrator.ts";

/** The field of the batch in which the time is kept between runs. */
const TIME = "time";

/** Counts the time of the steps that one scheme does with a batch, from what the batch says it has come to before. */
export class Clock {
  readonly #dt: PerSystem | undefined;
  readonly #begun: Int32Array;
  readonly #before: Float64Array;
  /** The steps of each system when it was last left. */
  #left: Int32Array;

  /** Steps that other schemes have done before do not count, but for what they left in the field `time`. */
  constructor(batch: Batch, dt: PerSystem | undefined) {
    this.#dt = dt;
    this.#begun = this.#left = batch.ensure("stepsDone").slice();
    this.#before = Float64Array.from({ length: batch.size }, (_, system) => {
      const before = batch.has(TIME) ? batch.get(TIME)[system]! : 0;
      return Number.isFinite(before) ? before : 0;
    });
  }

  /** The time of each system that has done so many steps, fs; NaN where steps take none. */
  at(steps: Int32Array): Float64Array {
    const dt = perSystem("a run", "dt", this.#dt ?? NaN, steps.length);
    return dt.map((one, system) =>
      this.#before[system]! + one * (steps[system]! - this.#begun[system]!)
    );
  }

  /** Is the batch as it was left, or have others done steps with it, or set its time? */
  isOf(batch: Batch): boolean {
    if (this.#dt === undefined) return true;
    const [times, steps] = [batch.has(TIME) ? batch.get(TIME) : [], batch.ensure("stepsDone")];
    return this.at(this.#left).every((time, s) => time === times[s] && this.#left[s] === steps[s]);
  }

  /** Leaves the time in the batch, for the next scheme, if steps take any. */
  keep(batch: Batch): void {
    this.#left = batch.ensure("stepsDone").slice();
    this.note(batch);
  }

  /** Writes the time into a batch that has done so many steps, if steps take any. */
  note(batch: Batch): void {
    if (this.#dt === undefined) return;
    const options = { level: "system", dtype: "f64", unit: "fs", fill: 0 } as const;
    batch.set(
      TIME,
      this.at(batch.ensure("stepsDone") as Int32Array),
      batch.has(TIME) ? {} : options,
    );
  }
}
