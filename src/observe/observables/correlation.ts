/**
 * Time correlation of values of atoms, averaged over atoms and many time origins.
 *
 * @module
 */

import { areNumbers, type Collected } from "./observed_systems.ts";

/**
 * Function that returns the correlation of the current values of all atoms with their values at a time origin, as a
 * sum over atoms. The values at the origin begin at index `from` of `before`.
 */
export type Correlate = (now: Float64Array, before: Float64Array, from: number) => number;

/** Relative difference below which two time intervals count as equal. */
const SAME = 1e-6;

const NONE = new Float64Array();

/** Range of the lags, and spacing of the time origins. */
export interface CorrelationWindow {
  /** Number of lags, including lag 0. */
  readonly lags: number;
  /** Number of samples between two origins. */
  readonly originEvery: number;
}

/** A correlation function. */
export interface Correlated {
  /** Mean time of each lag, fs. */
  readonly time: Float64Array;
  /** Correlation at each lag: a mean over atoms and origins. */
  readonly mean: Float64Array;
  /** Number of origins that each lag is averaged over. */
  readonly origins: Float64Array;
}

/**
 * The correlation function of one system. While samples arrive, it keeps the values at as many origins as the longest
 * lag covers. When it is paused, it keeps sums only.
 */
export class Correlation implements Collected {
  /** Number of atoms that are averaged over. */
  readonly atoms: number;
  readonly #window: CorrelationWindow;
  readonly #correlate: Correlate;
  /**
   * For each lag, the sum of the correlations over origins. `#times` holds the sums of the times, `#counts` the
   * numbers of origins.
   */
  readonly #sums: Float64Array;
  readonly #times: Float64Array;
  readonly #counts: Float64Array;
  /** Ring buffer of the values at the last origins. `#begun` holds the times of these origins, fs. */
  #origins: Float64Array<ArrayBufferLike> = NONE;
  readonly #begun: Float64Array;
  /** Number of samples since the last gap. */
  #samples = 0;
  #last = NaN;
  /** Time between samples, fs. */
  #interval = NaN;

  constructor(atoms: number, window: CorrelationWindow, correlate: Correlate) {
    const { lags, originEvery } = window, slots = Math.ceil(lags / originEvery);
    this.atoms = atoms;
    this.#window = window;
    this.#correlate = correlate;
    this.#sums = new Float64Array(lags);
    this.#times = new Float64Array(lags);
    this.#counts = new Float64Array(lags);
    this.#begun = new Float64Array(slots);
  }

  /** Returns the correlation of a state that `save` returned; `undefined` for any other value. */
  static restore(
    saved: Readonly<Record<string, unknown>>,
    window: CorrelationWindow,
    correlate: Correlate,
  ): Correlation | undefined {
    const { atoms, samples, last, interval } = saved;
    if (![atoms, samples, last, interval].every((x) => typeof x === "number")) return undefined;
    const one = new Correlation(atoms as number, window, correlate);
    if (samples !== 0) one.#open();
    const arrays = one.#arrays();
    const lengths = Object.entries(arrays).map(([name, { length }]) => [name, length] as const);
    if (!areNumbers(saved, Object.fromEntries(lengths))) return undefined;
    for (const [name, values] of Object.entries(arrays)) values.set(saved[name] as Float64Array);
    one.#samples = samples as number;
    one.#last = last as number;
    one.#interval = interval as number;
    return one;
  }

  /**
   * Adds the values at a time, three per atom. A sample at the same time as the last sample is ignored, because a
   * converged system is not updated. A gap between samples starts new origins.
   */
  add(time: number, values: Float64Array): void {
    if (time === this.#last) return;
    this.#checkInterval(time - this.#last);
    if (this.#samples === 0) this.#open();
    const { lags, originEvery } = this.#window, slots = this.#begun.length;
    const sample = this.#samples++, width = 3 * this.atoms;
    const newest = Math.floor(sample / originEvery);
    this.#last = time;
    if (sample % originEvery === 0) {
      this.#origins.set(values, width * (newest % slots));
      this.#begun[newest % slots] = time;
    }
    // From the newest origin back to the longest lag. Older slots of the ring were overwritten.
    for (let origin = newest; origin >= 0 && origin > newest - slots; origin--) {
      const lag = sample - origin * originEvery, slot = origin % slots;
      if (lag >= lags) break;
      this.#sums[lag]! += this.#correlate(values, this.#origins, width * slot) / this.atoms;
      this.#times[lag]! += time - this.#begun[slot]!;
      this.#counts[lag]! += 1;
    }
  }

  /** Drops the time origins when the system leaves the batch. A system that returns starts with new origins. */
  pause(): void {
    this.#origins = NONE;
    this.#samples = 0;
  }

  /** True if there are no time origins, because no sample was added or the system has left the batch. */
  get isPaused(): boolean {
    return this.#samples === 0;
  }

  /** Results so far: the lags with at least one origin. */
  get result(): Correlated {
    const known = this.#counts.indexOf(0), end = known === -1 ? this.#counts.length : known;
    const origins = this.#counts.slice(0, end);
    const over = (sums: Float64Array) => sums.slice(0, end).map((sum, lag) => sum / origins[lag]!);
    return { time: over(this.#times), mean: over(this.#sums), origins };
  }

  save(): Readonly<Record<string, unknown>> {
    const arrays = Object.entries(this.#arrays()).map(([name, values]) => [name, values.slice()]);
    const { atoms } = this;
    const [samples, last, interval] = [this.#samples, this.#last, this.#interval];
    return { atoms, samples, last, interval, ...Object.fromEntries(arrays) };
  }

  /**
   * Checks the time since the last sample. Lags are whole multiples of one interval, so a longer interval (a gap) or
   * a time that runs backwards starts new origins. A shorter interval shows that all samples before had gaps between
   * them, so the sums are reset.
   */
  #checkInterval(passed: number): void {
    const interval = this.#interval;
    if (passed < 0 || passed > interval * (1 + SAME)) this.#samples = 0;
    else if (!(passed >= interval * (1 - SAME)) && !Number.isNaN(passed)) {
      this.#interval = passed;
      if (Number.isNaN(interval)) return;
      for (const values of [this.#sums, this.#times, this.#counts]) values.fill(0); // samples before had gaps
      this.#samples = 0;
    }
  }

  #open(): void {
    if (this.#origins === NONE) {
      this.#origins = new Float64Array(3 * this.atoms * this.#begun.length);
    }
  }

  #arrays(): Record<string, Float64Array> {
    return {
      sums: this.#sums,
      times: this.#times,
      counts: this.#counts,
      origins: this.#origins,
      begun: this.#begun,
    };
  }
}
