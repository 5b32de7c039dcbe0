/**
 * Measures the garbage that an event makes.
 *
 * @module
 */

import type { Work } from "./slices.ts";

const EVENTS = 500;
const WARM_UP_EVENTS = 400_000;
const TRIES = 15;

/**
 * Bytes allocated per event: the slope between a run and one twice as long, so that what asking for the size of
 * the heap itself allocates is left out. Needs `--v8-flags=--expose-gc`.
 *
 * Throws an `Error` when it is blind, that is when it does not see an object made at every tenth event.
 */
export function bytesPerEvent(work: Work): number {
  const seen = slope(new Litter());
  if (!(seen > 1 && seen < 4)) {
    throw new Error(
      `Cannot measure bytes: 1.6 to 2.4 of them must be seen where they are made; got ${seen}`,
    );
  }
  return slope(work);
}

function slope(work: Work): number {
  for (let done = 0; done < WARM_UP_EVENTS; done += EVENTS) work.run(EVENTS);
  return (leastGrowth(work, 2 * EVENTS) - leastGrowth(work, EVENTS)) / EVENTS;
}

/** The least of several, as a garbage collection or a compilation in between can only add or take away a lot. */
function leastGrowth(work: Work, n: number): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) {
    throw new Error("Cannot measure bytes: gc must be exposed: run with --v8-flags=--expose-gc");
  }
  let least = Infinity;
  for (let i = 0; i < TRIES; i++) {
    gc();
    const before = Deno.memoryUsage().heapUsed;
    work.run(n);
    const growth = Deno.memoryUsage().heapUsed - before;
    if (growth >= 0 && growth < least) least = growth;
  }
  return least;
}

/** Work with a known amount of garbage, which the measurement must detect. */
class Litter implements Work {
  last: object | undefined;

  run(n: number): void {
    for (let i = 0; i < n; i++) if (i % 10 === 0) this.last = { i };
  }
}
