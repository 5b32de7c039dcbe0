/**
 * Schedules of hooks: the counts at which a hook is called.
 *
 * @module
 */

import { show } from "../../base/show.ts";

/**
 * Options that determine when a hook is called, by the counter of its stage (steps, epochs, …). Event stages call
 * their hooks at every event, unless `eventFrequency` is set.
 */
export interface ScheduleOptions {
  /**
   * Number of counts from one call to the next: the hook is due if counter % frequency === phase, so also at count 0.
   *
   * @default 1
   */
  readonly frequency?: number;
  /**
   * The remainder counter % frequency at which the hook is due, a whole number from 0 to `frequency` - 1.
   *
   * @default 0
   */
  readonly phase?: number;
  /**
   * Frequency at event stages, which ignore `frequency`: the hook is called at the first event and at every n-th one
   * after it.
   *
   * @default 1
   */
  readonly eventFrequency?: number;
  /**
   * True to call the hook only at the first due count of each of its stages.
   *
   * @default false
   */
  readonly once?: boolean;
  /**
   * The first count at which the hook may be called. At event stages, a number of steps.
   *
   * @default 0
   */
  readonly after?: number;
  /**
   * The count from which on the hook is no longer called. At event stages, a number of steps.
   *
   * @default Infinity
   */
  readonly until?: number;
  /**
   * Minimum time in seconds since the previous call, or since the run began. The hook is called at the first due
   * count after it.
   *
   * @default undefined
   */
  readonly everySeconds?: number;
  /**
   * True to call the hook once more when a run ends without error. It is not called if it was already called at the
   * last count, or if `once`, `after` or `until` exclude that count.
   *
   * @default false
   */
  readonly atEnd?: boolean;
  /**
   * The fraction of due counts at which the hook is called, above 0 and at most 1. A hash of seed and count selects
   * the counts, so every run selects the same ones.
   *
   * @default 1
   */
  readonly sample?: number;
  /**
   * The seed of the hash that `sample` uses.
   *
   * @default 0
   */
  readonly sampleSeed?: number;
}

// Number of due counts that `next` checks for a sampled one. If none is sampled, it returns the count after them.
const LOOK_AHEAD = 4096;

/** The names of all schedule options. */
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

/**
 * Checks the schedule options of the hook called `name` and fills in defaults. Throws a TypeError for a wrong type,
 * and a RangeError for a wrong value.
 */
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
  check("everySeconds", "be above 0 and finite", (x) => x > 0 && x < Infinity);
  check("sample", "be above 0 and at most 1", (x) => x > 0 && x <= 1);
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
 * The schedule of one hook at one stage. The counts passed to it never decrease, except after a load. It reads the
 * clock only if `everySeconds` is set.
 */
export class Schedule {
  readonly #options: Required<ScheduleOptions>;
  readonly #every: number;
  readonly #window: Required<ScheduleOptions> | undefined;
  /** The count of the last firing; -1 before the first firing. */
  last = -1;
  /** The count of the second to last firing; -1 before the second firing. */
  previous = -1;
  /** The count at the first call of `start`, in any run; -1 before it. */
  startedAt = -1;
  #since = { time: performance.now(), count: 0 };
  #checkFrom = 0;

  /**
   * Creates the schedule for one stage. At an event stage, counts are numbers of events, but `after` and `until` are
   * numbers of steps, so they are checked separately.
   */
  constructor(options: Required<ScheduleOptions>, isEvent: boolean) {
    this.#options = isEvent ? { ...options, phase: 0, after: 0, until: Infinity } : options;
    this.#every = isEvent ? options.eventFrequency : options.frequency;
    this.#window = isEvent ? options : undefined;
  }

  /** True if the schedule fires at every count, so that callers can skip all checks. */
  get isAlways(): boolean {
    const { after, until, once, everySeconds, sample } = this.#options;
    const open = this.#window === undefined ||
      (this.#window.after === 0 && this.#window.until === Infinity);
    return open && this.#every === 1 && after === 0 && until === Infinity && !once &&
      everySeconds === 0 && sample === 1;
  }

  /** True if the schedule sets no options except `frequency` and `phase`, and the stage is not an event stage. */
  get isPlain(): boolean {
    const { after, until, once, everySeconds, sample, atEnd } = this.#options;
    return this.#window === undefined && after === 0 && until === Infinity && !once &&
      everySeconds === 0 && sample === 1 && !atEnd;
  }

  /**
   * Returns the first count, not below `from`, at which the schedule may fire; `Infinity` if it will not fire again.
   */
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

  /**
   * Returns whether the schedule fires at `count`, a count that `next` returned, in the step `step`. Restarts the
   * clock of `everySeconds` if the time is up.
   */
  fires(count: number, step: number): boolean {
    if (this.#options.once && this.last >= 0) return false; // the stage was visited again at the count of the only firing
    if (this.#window !== undefined && (step < this.#window.after || step >= this.#window.until)) {
      return false;
    }
    if (this.#options.sample < 1 && !this.#isSampled(count)) return false;
    return this.#options.everySeconds === 0 || this.#isTime(count);
  }

  /** Records that the hook was called at a count. */
  fired(count: number): void {
    this.previous = this.last;
    this.last = count;
  }

  /** Starts the clock of `everySeconds` at a count. */
  start(count: number): void {
    if (this.startedAt < 0) this.startedAt = count;
    this.#since = { time: performance.now(), count };
    this.#checkFrom = 0;
  }

  /** Returns whether, because of `atEnd`, the hook must be called at the end of a run whose last count was `count`. */
  owesEnd(count: number): boolean {
    const { atEnd, once, after, until } = this.#options;
    const mayFire = count >= after && count < until && !(once && this.last >= 0);
    return atEnd && mayFire && !this.isAlways && this.last < count;
  }

  // Reading the clock costs more than a step of a small loop, and a step that may be due is not part of a multi-step
  // call. So the first reading after a firing follows after four fifths of the steps that the wait is expected to take.
  // It would be late if steps became much slower. Once most of the wait is over, the rest is short, and the next reading
  // follows when it is expected to be over.
  #isTime(count: number): boolean {
    const now = performance.now();
    const waited = (now - this.#since.time) / 1000;
    const rate = (count - this.#since.count) / Math.max(waited, 1e-6);
    if (waited >= this.#options.everySeconds) {
      this.#since = { time: now, count };
      this.#checkFrom = count + strideOf(MOST * rate * this.#options.everySeconds);
      return true;
    }
    const part = waited < HALF * this.#options.everySeconds ? MOST : NEARLY_ALL;
    this.#checkFrom = count + strideOf(part * rate * (this.#options.everySeconds - waited));
    return false;
  }

  #isSampled(count: number): boolean {
    return hash(count, this.#options.sampleSeed) < this.#options.sample * 2 ** 32;
  }
}

/** Part of a wait until the first reading of the clock, and from one late in the wait to the next. */
const MOST = 0.8, NEARLY_ALL = 1.02;

/** Part of a wait after which the rest is short. */
const HALF = 0.5;

/** Returns a number of steps as one that may be skipped: at least 1, and few enough that a wrong estimate does not last. */
function strideOf(steps: number): number {
  return Math.min(Math.max(Math.floor(steps), 1), 1_000_000);
}

/**
 * Returns a 32-bit hash of two non-negative integers: the finalizer of MurmurHash3, applied to the low and high 32
 * bits of each.
 */
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
