/**
 * The processor time that the fast suite may take in CI, on the processor that it runs on.
 *
 * @module
 */

/** Processor seconds that are allowed on any processor: three minutes on two cores are 360. */
const LEAST = 450;

/** Processor seconds that are allowed for each millisecond of `work`: slow processors need as much longer. */
const PER_MILLISECOND = 34;

/** Runs of `work`; the fastest counts, because other programs disturb the others. */
const RUNS = 15;

/** Makes objects, strings, maps and numbers, as tests do. */
function work(): number {
  const words = new Map<string, number>(), values = new Float64Array(1 << 16);
  for (let i = 0; i < values.length; i++) {
    const word = `w${(i * 7919) % 4093}`;
    words.set(word, (words.get(word) ?? 0) + 1);
    values[i] = Math.sin(i) * words.size;
  }
  const text = JSON.stringify([...words].sort(([a], [b]) => a < b ? -1 : 1));
  return values.sort()[0]! + (JSON.parse(text) as unknown[]).length;
}

/** Returns the time of a fixed piece of work on this processor, ms. */
export function timeOfWork(): number {
  let least = Infinity;
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    work();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

/** Returns the processor seconds that the fast suite may take where `work` takes this time, ms. */
export function limitOf(milliseconds: number): number {
  return Math.round(Math.max(LEAST, PER_MILLISECOND * milliseconds));
}
