/**
 * Transitions from one stage to the next, and their durations.
 *
 * @module
 */

/** Durations and points in time, in milliseconds. */
export type Milliseconds = number;

/** Statistics of one transition. */
export interface TransitionSummary {
  /** Name of the engine, with a number if the profiler already has an engine of that name. */
  readonly engine: string;
  /**
   * Track of the transition: the kind of the stage that it ends at, such as "dynamics", "training" or a custom kind.
   */
  readonly domain: string;
  /** Literal of the stage that the transition begins at, such as "dynamics/BEFORE_COMPUTE". */
  readonly from: string;
  /** Literal of the stage that the transition ends at. */
  readonly to: string;
  /** Number of occurrences. */
  readonly count: number;
  /** Mean duration in ms. */
  readonly mean: Milliseconds;
  /** Sample standard deviation of the duration (divided by count − 1) in ms; 0 for a single occurrence. */
  readonly std: Milliseconds;
  /** Shortest duration in ms. */
  readonly min: Milliseconds;
  /** Longest duration in ms. */
  readonly max: Milliseconds;
}

/** A row of a trace: the transitions of one engine in one domain. */
export interface Track {
  /** Name of the engine. */
  readonly engine: string;
  /** Number of the engine, unique among engines and tracks. */
  readonly pid: number;
  /** Name of the kind. */
  readonly domain: string;
  /** Number of the track, unique among engines and tracks. */
  readonly tid: number;
}

/** Receives each stage and each transition as it happens. `step` is the step in which the transition ended. */
export interface TransitionOutput {
  /** Called when a run of an engine begins. */
  open(engine: number, name: string, time: Milliseconds): void;
  /** Called when a stage was reached. */
  stage(stage: string, time: Milliseconds): void;
  /** Called when a transition has ended. */
  transition(transition: Transition, start: Milliseconds, end: Milliseconds, step: number): void;
  /** Called when all runs have ended. */
  close(time: Milliseconds): void;
}

/** Two stages in succession, with running statistics of the duration. */
export class Transition {
  readonly track: Track;
  readonly from: string;
  readonly to: string;
  /** `PREV→NEXT`, with the literals of both stages. */
  readonly label: string;
  /** Index among all transitions of the profiler. */
  readonly index: number;
  // Count, mean, sum of squared deviations, minimum, maximum. They are in a typed array because V8 may allocate a box
  // at each write of a fraction to a field of an object.
  readonly #sums = Float64Array.of(0, 0, 0, Infinity, -Infinity);

  constructor(track: Track, from: string, to: string, index: number) {
    this.track = track;
    this.from = from;
    this.to = to;
    this.label = `${from}→${to}`;
    this.index = index;
  }

  /**
   * Adds a duration by Welford's update, which avoids the cancellation of large sums: mean += (x − mean) / n, squares
   * += (x − old mean)(x − new mean).
   */
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

  /** Returns the statistics so far. */
  summary(): TransitionSummary {
    const [count = 0, mean = 0, squares = 0, min = 0, max = 0] = this.#sums;
    const std = count > 1 ? Math.sqrt(squares / (count - 1)) : 0;
    const { engine, domain } = this.track;
    return { engine, domain, from: this.from, to: this.to, count, mean, std, min, max };
  }
}
