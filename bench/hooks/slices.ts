/**
 * Times a case. Short slices of the floor and of the contender alternate, so that disturbances of the machine affect
 * both. The lower quartile of each is kept, which excludes slices that were disturbed.
 *
 * @module
 */

/** Work that can be repeated any number of times, in a loop with separate code. */
export interface Work {
  /** Does `n` events. */
  run(n: number): void;
}

/** Results of a case in one process. On a shared machine, only `ratio` is meaningful. */
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
