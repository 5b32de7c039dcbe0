/**
 * Schedules of hooks.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/** Schedule of a hook, by the counter of its stage (steps, epochs, …). Event stages fire at every event. */
export interface ScheduleOptions {
  /**
   * Fires when counter % frequency === phase, so 0 fires.
   *
   * @default 1
   */
  readonly frequency?: number;
  /**
   * The remainder at which it fires, below `frequency`.
   *
   * @default 0
   */
  readonly phase?: number;
  /**
   * Frequency at event stages, which ignore `frequency`: fires at every n-th event, beginning with the first.
   *
   * @default 1
   */
  readonly eventFrequency?: number;
  /**
   * Fires at the first due count only, at each of its stages.
   *
   * @default false
   */
  readonly once?: boolean;
  /**
   * The first count at which it may fire.
   *
   * @default 0
   */
  readonly after?: number;
  /**
   * The first count at which it no longer fires.
   *
   * @default Infinity
   */
  readonly until?: number;
  /**
   * Minimum number of seconds between two calls (or since the run began), at a due count.
   *
   * @default undefined
   */
  readonly everySeconds?: number;
  /**
   * Fires once more when a run ends without error, unless it did at the last count, or `once`, `after` or `until` forbid.
   *
   * @default false
   */
  readonly atEnd?: boolean;
  /**
   * The fraction of due counts at which it fires, chosen by a hash of seed and count: the same in every run.
   *
   * @default 1
   */
  readonly sample?: number;
  /**
   * The seed of `sample`.
   *
   * @default 0
   */
  readonly sampleSeed?: number;
}

// How far ahead `next` looks for a sampled count before it asks to be visited and look again.
const LOOK_AHEAD = 4096;

/** The names of the options, for finding them on a hook. */
export const SCHEDULE_KEYS: readonly (keyof ScheduleOptions)[] = [
  "frequency",
  "phase",
  "eventFrequency",
  "once",
  "after",
  "until",
  "everySeconds",
  "atEnd",
  "sample",
  "sampleSeed",
];

/** Returns the options of a hook, checked. Throws a TypeError for a wrong type, a RangeError for a wrong value. */
export function readSchedule(name: string, given: ScheduleOptions): Required<ScheduleOptions> {
  checkSchedule(name, given);
  return {
    frequency: given.frequency ?? 1,
    phase: given.phase ?? 0,
    eventFrequency: given.eventFrequency ?? 1,
    once: given.once ?? false,
    after: given.after ?? 0,
    until: given.until ?? Infinity,
    everySeconds: given.everySeconds ?? 0,
    atEnd: given.atEnd ?? false,
    sample: given.sample ?? 1,
    sampleSeed: given.sampleSeed ?? 0,
  };
}

function checkSchedule(name: string, given: ScheduleOptions): void {
  const check = (key: keyof ScheduleOptions, requirement: string, ok: (x: number) => boolean) => {
    const value: unknown = given[key];
    if (value === undefined) return;
    if (typeof value !== "number") throw new TypeError(complaint(name, key, requirement, value));
    if (!ok(value)) throw new RangeError(complaint(name, key, requirement, value));
  };
  check("frequency", "be a positive integer", isPositiveInteger);
  check("eventFrequency", "be a positive integer", isPositiveInteger);
  const { frequency = 1 } = given;
  const isPhase = (x: number) => isCount(x) && x < frequency;
  check("phase", `be a whole number from 0 to ${frequency - 1}`, isPhase);
  check("after", "be a non-negative integer", isCount);
  check("until", "be a non-negative integer, or Infinity", (x) => isCount(x) || x === Infinity);
  check("everySeconds", "be a number above 0", (x) => x > 0 && x < Infinity);
  check("sample", "be a fraction above 0, at most 1", (x) => x > 0 && x <= 1);
  check("sampleSeed", "be a non-negative integer", isCount);
  for (const key of ["once", "atEnd"] as const) {
    const value: unknown = given[key];
    if (value === undefined || typeof value === "boolean") continue;
    throw new TypeError(complaint(name, key, "be true or false", value));
  }
}

function complaint(name: string, key: string, requirement: string, value: unknown): string {
  return `Cannot register hook ${name}: its ${key} must ${requirement}; got ${show(value)}`;
}

function isPositiveInteger(x: number): boolean {
  return Number.isSafeInteger(x) && x > 0;
}

function isCount(x: number): boolean {
  return Number.isSafeInteger(x) && x >= 0;
}

/**
 * The schedule of one hook at one stage. Counts only grow until a load; the clock is read only if `everySeconds` is
 * set.
 */
export class Schedule {
  readonly #options: Required<ScheduleOptions>;
  readonly #every: number;
  readonly #window: Required<ScheduleOptions> | undefined;
  /** The count at which it last fired; -1 before its first firing. */
  last = -1;
  /** The count of the firing before that; -1 before the second firing. */
  previous = -1;
  /** The count at which it was first started, in any run; -1 before that. */
  startedAt = -1;
  #since = { time: performance.now(), count: 0 };
  #checkFrom = 0;

  /**
   * Creates the schedule of one stage. At an event stage, counts are numbers of events, but `after` and `until` are
   * steps, so they are checked separately.
   */
  constructor(options: Required<ScheduleOptions>, isEvent: boolean) {
    this.#options = isEvent ? { ...options, phase: 0, after: 0, until: Infinity } : options;
    this.#every = isEvent ? options.eventFrequency : options.frequency;
    this.#window = isEvent ? options : undefined;
  }

  /** True if it fires at every count, so that nothing need be compared. */
  get isAlways(): boolean {
    const { after, until, once, everySeconds, sample } = this.#options;
    const open = this.#window === undefined ||
      (this.#window.after === 0 && this.#window.until === Infinity);
    return open && this.#every === 1 && after === 0 && until === Infinity && !once &&
      everySeconds === 0 && sample === 1;
  }

  /** True if it has no options but `frequency` and `phase`. */
  get isPlain(): boolean {
    const { after, until, once, everySeconds, sample, atEnd } = this.#options;
    return this.#window === undefined && after === 0 && until === Infinity && !once &&
      everySeconds === 0 && sample === 1 && !atEnd;
  }

  /** Returns the first count from `from` on at which it may fire, or `Infinity`. */
  next(from: number): number {
    const { phase, after, until, once, sample } = this.#options;
    if (once && this.last >= 0) return Infinity;
    const first = Math.max(from, after, this.#checkFrom);
    let count = first + (phase - first % this.#every + this.#every) % this.#every;
    if (sample < 1) {
      const limit = count + LOOK_AHEAD * this.#every;
      while (count < limit && !this.#isSampled(count)) count += this.#every;
    }
    return count < until ? count : Infinity;
  }

  /** Returns whether it fires at this count, which `next` returned, in this step. Remembers that it was asked. */
  fires(count: number, step: number): boolean {
    if (this.#options.once && this.last >= 0) return false; // reached again at the count of its one firing
    if (this.#window !== undefined && (step < this.#window.after || step >= this.#window.until)) {
      return false;
    }
    if (this.#options.sample < 1 && !this.#isSampled(count)) return false;
    return this.#options.everySeconds === 0 || this.#isTime(count);
  }

  /** Records a firing. */
  fired(count: number): void {
    this.previous = this.last;
    this.last = count;
  }

  /** Starts the clock of `everySeconds`. */
  start(count: number): void {
    if (this.startedAt < 0) this.startedAt = count;
    this.#since = { time: performance.now(), count };
    this.#checkFrom = 0;
  }

  /** Returns whether it must still fire at the end of a run whose last count was `count`. */
  owesEnd(count: number): boolean {
    const { atEnd, once, after, until } = this.#options;
    const mayFire = count >= after && count < until && !(once && this.last >= 0);
    return atEnd && mayFire && !this.isAlways && this.last < count;
  }

  // Reading the clock costs more than a step of a small loop, so after each look the next one is put off by half of the
  // steps that the wait should still take.
  #isTime(count: number): boolean {
    const now = performance.now();
    const waited = (now - this.#since.time) / 1000;
    if (waited >= this.#options.everySeconds) {
      this.#since = { time: now, count };
      this.#checkFrom = count + 1;
      return true;
    }
    const rate = (count - this.#since.count) / Math.max(waited, 1e-6);
    const stride = Math.floor(rate * (this.#options.everySeconds - waited) / 2);
    this.#checkFrom = count + Math.min(Math.max(stride, 1), 1_000_000);
    return false;
  }

  #isSampled(count: number): boolean {
    return hash(count, this.#options.sampleSeed) < this.#options.sample * 2 ** 32;
  }
}

/** Returns 32 well mixed bits of two whole numbers (the finalizer of MurmurHash3, applied to each half). */
function hash(count: number, seed: number): number {
  let h = mix(seed >>> 0) ^ Math.floor(seed / 2 ** 32);
  h = mix(h ^ (count >>> 0));
  return mix(h ^ Math.floor(count / 2 ** 32)) >>> 0;
}

function mix(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) + 0x9e3779b9 | 0;
}
