/**
 * From one stage to the next, and how long that took.
 *
 * @module
 */

/** Durations and points in time, in milliseconds. */
export type Milliseconds = number;

/** What is known of one transition: how often it was seen, and how long it took. */
export interface TransitionSummary {
  /** The engine's name, numbered when the profiler has seen another of that name. */
  readonly engine: string;
  /** The track it is on: the kind of the stage it ends at, "dynamics", "training" or a user's own. */
  readonly domain: string;
  /** The stage it begins at, as a literal: "dynamics/BEFORE_COMPUTE". */
  readonly from: string;
  /** The stage it ends at, as a literal. */
  readonly to: string;
  /** How often it was seen. */
  readonly count: number;
  /** Its mean duration, in ms. */
  readonly mean: Milliseconds;
  /** The standard deviation of its duration as a sample's (divided by count - 1), in ms; 0 when seen once. */
  readonly std: Milliseconds;
  /** Its shortest duration, in ms. */
  readonly min: Milliseconds;
  /** Its longest duration, in ms. */
  readonly max: Milliseconds;
}

/** Where the transitions of one engine in one domain are shown: a row of a trace. */
export interface Track {
  /** The engine's name. */
  readonly engine: string;
  /** The engine's number, unlike that of any other engine or track. */
  readonly pid: number;
  /** The kind's name. */
  readonly domain: string;
  /** The track's number, unlike that of any other engine or track. */
  readonly tid: number;
}

/** Told of each stage and of each transition as it happens. `step` is the step in which the transition ended. */
export interface TransitionOutput {
  /** A run of an engine begins. */
  open(engine: number, name: string, time: Milliseconds): void;
  /** A stage was reached. */
  stage(stage: string, time: Milliseconds): void;
  /** A transition has ended. */
  transition(transition: Transition, start: Milliseconds, end: Milliseconds, step: number): void;
  /** All runs have ended. */
  close(time: Milliseconds): void;
}

/** One pair of stages that followed one another, with the running statistics of its duration. */
export class Transition {
  readonly track: Track;
  readonly from: string;
  readonly to: string;
  /** `PREV→NEXT`, full literals. */
  readonly label: string;
  /** Its place among all transitions of the profiler. */
  readonly index: number;
  // Count, mean, sum of squared deviations, least, greatest. Fields of an object that hold fractions may be boxed
  // anew at each write; elements of a typed array never are.
  readonly #sums = Float64Array.of(0, 0, 0, Infinity, -Infinity);

  constructor(track: Track, from: string, to: string, index: number) {
    this.track = track;
    this.from = from;
    this.to = to;
    this.label = `${from}→${to}`;
    this.index = index;
  }

  /** Takes one duration in. Welford's update: no difference of large sums. */
  add(duration: Milliseconds): void {
    const sums = this.#sums;
    const count = sums[0]! + 1;
    const deviation = duration - sums[1]!;
    const mean = sums[1]! + deviation / count;
    sums[0] = count;
    sums[1] = mean;
    sums[2] = sums[2]! + deviation * (duration - mean);
    if (duration < sums[3]!) sums[3] = duration;
    if (duration > sums[4]!) sums[4] = duration;
  }

  /** What is known so far. */
  summary(): TransitionSummary {
    const [count = 0, mean = 0, squares = 0, min = 0, max = 0] = this.#sums;
    const std = count > 1 ? Math.sqrt(squares / (count - 1)) : 0;
    const { engine, domain } = this.track;
    return { engine, domain, from: this.from, to: this.to, count, mean, std, min, max };
  }
}
