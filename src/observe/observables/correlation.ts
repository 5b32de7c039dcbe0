/**
 * How what atoms have now goes with what they had some time ago, averaged over atoms and over many beginnings.
 *
 * @module
 */

import { areNumbers, type Collected } from "./observed_systems.ts";

/** What is made of the values of all atoms now and at the origin: a sum over them. */
export type Correlate = (now: Float64Array, before: Float64Array, from: number) => number;

/** Times this close, relative to their size, are the same. */
const SAME = 1e-6;

const NONE = new Float64Array();

/** How far back it looks. */
export interface CorrelationWindow {
  /** So many lags, that of no time included. */
  readonly lags: number;
  /** Every so many samples are an origin. */
  readonly originEvery: number;
}

/** A correlation by lag. */
export interface Correlated {
  /** Mean time of each lag, fs. */
  readonly time: Float64Array;
  /** The mean over atoms and origins. */
  readonly mean: Float64Array;
  /** How many origins are in each. */
  readonly origins: Float64Array;
}

/**
 * The correlation of one system. Memory is for as many origins as fit into the longest lag, while samples come; once it
 * is paused, for sums alone.
 */
export class Correlation implements Collected {
  /** How many atoms are averaged over. */
  readonly atoms: number;
  readonly #window: CorrelationWindow;
  readonly #correlate: Correlate;
  /** By lag: sums over origins, of what is correlated and of times; and how many there were. */
  readonly #sums: Float64Array;
  readonly #times: Float64Array;
  readonly #counts: Float64Array;
  /** The values at the last origins, each in its slot, and the times of these. */
  #origins: Float64Array<ArrayBufferLike> = NONE;
  readonly #begun: Float64Array;
  /** Since nothing was left out. */
  #samples = 0;
  #last = NaN;
  /** Between samples, fs. */
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

  /** That which `save` gave; nothing for what it did not. */
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
   * Takes the values of a moment, three per atom. A system that rests has no new moment; where one was away for a while
   * there are new origins.
   */
  add(time: number, values: Float64Array): void {
    if (time === this.#last) return;
    this.#follow(time - this.#last);
    if (this.#samples === 0) this.#open();
    const { lags, originEvery } = this.#window, slots = this.#begun.length;
    const sample = this.#samples++, width = 3 * this.atoms;
    const newest = Math.floor(sample / originEvery);
    this.#last = time;
    if (sample % originEvery === 0) {
      this.#origins.set(values, width * (newest % slots));
      this.#begun[newest % slots] = time;
    }
    for (let origin = newest; origin >= 0 && origin > newest - slots; origin--) {
      const lag = sample - origin * originEvery, slot = origin % slots;
      if (lag >= lags) break;
      this.#sums[lag]! += this.#correlate(values, this.#origins, width * slot) / this.atoms;
      this.#times[lag]! += time - this.#begun[slot]!;
      this.#counts[lag]! += 1;
    }
  }

  /** The system is gone: should it come back, it has new origins. */
  pause(): void {
    this.#origins = NONE;
    this.#samples = 0;
  }

  /** Whether it is without origins. */
  get isPaused(): boolean {
    return this.#samples === 0;
  }

  /** What there is so far: the lags of which something is known. */
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
   * Lags are whole numbers of intervals: where samples are not as far apart as others, or a system begins anew, none
   * reaches across.
   */
  #follow(passed: number): void {
    const interval = this.#interval;
    if (passed < 0 || passed > interval * (1 + SAME)) this.#samples = 0;
    else if (!(passed >= interval * (1 - SAME)) && !Number.isNaN(passed)) {
      this.#interval = passed;
      if (Number.isNaN(interval)) return;
      for (const values of [this.#sums, this.#times, this.#counts]) values.fill(0); // these were gaps
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
