/**
 * How a case is timed: short slices of the floor and of the contender in turn, so that whatever else the machine
 * does hits both, and the lower quartile of each, so that what hits only one slice is left out.
 *
 * @module
 */

/** Something that can be done any number of times, in a loop whose code is its own. */
export interface Work {
  /** Does `n` events. */
  run(n: number): void;
}

/** What a case measured in one process. Only `ratio` says something on a shared machine. */
export interface Measured {
  /** Nanoseconds per event of the contender. */
  readonly ns: number;
  /** Nanoseconds per event of the floor. */
  readonly floor: number;
  /** The one over the other. */
  readonly ratio: number;
}

const SLICE_MS = 4;
const SLICES = 31;
const WARM_UP_SLICES = 24;

/** Times the contender against the floor. Several works of one side take turns: two engines alive, say. */
export function measure(floor: readonly Work[], contender: readonly Work[]): Measured {
  let floorEvents = eventsPerSlice(floor[0]!), events = eventsPerSlice(contender[0]!);
  for (let i = 0; i < WARM_UP_SLICES; i++) {
    turn(contender, i).run(events);
    turn(floor, i).run(floorEvents);
  }
  floorEvents = eventsPerSlice(floor[0]!);
  events = eventsPerSlice(contender[0]!);
  const floorNs: number[] = [], ns: number[] = [];
  for (let i = 0; i < SLICES; i++) {
    floorNs.push(nsPerEvent(turn(floor, i), floorEvents));
    ns.push(nsPerEvent(turn(contender, i), events));
  }
  const [a, b] = [lowerQuartile(floorNs), lowerQuartile(ns)];
  return { ns: b, floor: a, ratio: b / a };
}

function turn(works: readonly Work[], i: number): Work {
  return works[i % works.length]!;
}

function nsPerEvent(work: Work, n: number): number {
  const start = performance.now();
  work.run(n);
  return (performance.now() - start) * 1e6 / n;
}

function eventsPerSlice(work: Work): number {
  for (let n = 64;; n *= 3) {
    const ms = nsPerEvent(work, n) * n / 1e6;
    if (ms > SLICE_MS / 3) return Math.max(1, Math.floor(n * SLICE_MS / ms));
  }
}

function lowerQuartile(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 4)]!;
}
