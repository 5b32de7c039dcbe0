/**
 * How far in time the systems of a run have come.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import { isObject } from "../hooks/shape.ts";
import { type PerSystem, perSystem } from "./integrator.ts";

/** The field of the batch in which the time is kept between runs. */
const TIME = "time";

/** What a clock counts from, one entry per system: plain data. */
export interface SavedClock {
  /** Steps that each had done. */
  readonly begun: Int32Array;
  /** The time of each by then, fs. */
  readonly before: Float64Array;
}

/** Counts the time of the steps that one scheme does with a batch, from what the batch says it has come to before. */
export class Clock {
  readonly #dt: PerSystem | undefined;
  readonly #batch: Batch;
  /** One for each system, where fields say so: they are read once. */
  #dts: Float64Array | undefined;
  readonly #begun: Int32Array;
  readonly #before: Float64Array;
  /** The steps of each system when it was last left. */
  #left: Int32Array;

  /** Steps that other schemes have done before do not count, but for what they left in the field `time`. */
  constructor(batch: Batch, dt: PerSystem | undefined) {
    this.#dt = dt;
    this.#batch = batch;
    if (isObject(dt) && "field" in dt) this.#dts = perSystem("a run", "dt", dt, batch);
    this.#begun = batch.ensure("stepsDone").slice();
    this.#left = this.#begun.slice();
    this.#before = Float64Array.from({ length: batch.size }, (_, system) => {
      const before = batch.has(TIME) ? batch.get(TIME)[system]! : 0;
      return Number.isFinite(before) ? before : 0;
    });
  }

  /** The time of each system that has done so many steps, fs; NaN where steps take none. */
  at(steps: Int32Array): Float64Array {
    const dt = this.#dts ??= perSystem("a run", "dt", this.#dt ?? NaN, this.#batch);
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

  /** What the systems that were in other places of another clock, or of this one, go on counting from. */
  carry({ begun, before }: SavedClock, from: readonly (number | undefined)[]): void {
    for (const [place, old] of from.entries()) {
      if (old === undefined) continue;
      this.#begun[place] = begun[old]!;
      this.#before[place] = before[old]!;
    }
  }

  /** A system of the batch that was in none of its places before begins to count. */
  admit(batch: Batch, places: Iterable<number>): void {
    for (const place of places) {
      const before = batch.has(TIME) ? batch.get(TIME)[place]! : 0;
      this.#begun[place] = batch.get("stepsDone")[place]!;
      this.#before[place] = Number.isFinite(before) ? before : 0;
    }
  }

  /** What it counts from, to be kept. */
  save(): SavedClock {
    return { begun: this.#begun.slice(), before: this.#before.slice() };
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
