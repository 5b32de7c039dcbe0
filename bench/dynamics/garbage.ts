import { NVE } from "../../src/dynamics/mod.ts";
import { argonModel, crystals } from "./input.ts";
import { type Observer, observers } from "./observers.ts";

/** What steps leave on the heap. */
export interface Garbage {
  /** Bytes per step, no hooks. */
  readonly without: number;
  /** Bytes per step, 8 hooks none of which is due. */
  readonly notDue: number;
  /** Bytes per second of running: the event loop is given a turn every 50 ms, and each costs some. */
  readonly perSecond: number;
}

/** Few enough to be done before the event loop has its turn, so that the least of some tries is without. */
const STEPS = 1000, TRIES = 15;
const LONG = 100_000, LONG_TRIES = 3;
const NEVER = 1e9;

/** Does `n` events. */
type Work = (n: number) => Promise<unknown>;

/**
 * Measures garbage of 32 atoms: what twice as many steps leave on the heap more. Throws an `Error` where it does not see
 * an object that is made at every hundredth step.
 */
export async function bytesPerStep(): Promise<Garbage> {
  let last: object | undefined;
  const seen = await slope((n) => {
    for (let i = 0; i < n; i++) if (i % 100 === 0) last = { i };
    return Promise.resolve(last);
  });
  if (!(seen > 0.1 && seen < 0.5)) {
    throw new Error(
      `Cannot measure bytes as 0.16 to 0.3 of them must be seen where they are made: current value is ${seen}`,
    );
  }
  const run = steps([]);
  const without = await slope(run), notDue = await slope(steps(observers(NEVER)));
  const begun = performance.now();
  await run(LONG);
  const seconds = (performance.now() - begun) / 1e3;
  return { without, notDue, perSecond: await slope(run, LONG, LONG_TRIES) * LONG / seconds };
}

function steps(hooks: readonly Observer[]): Work {
  const engine = new NVE({ model: argonModel(), dt: 1, hooks });
  const batch = crystals(2);
  return (n) => engine.run(batch, n);
}

async function slope(work: Work, n: number = STEPS, tries: number = TRIES): Promise<number> {
  for (let done = 0; done < 80 * STEPS; done += n) await work(n);
  return (await leastGrowth(work, 2 * n, tries) - await leastGrowth(work, n, tries)) / n;
}

/** The least of several, as a compilation in between can only add. */
async function leastGrowth(work: Work, n: number, tries: number): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) {
    throw new Error("Cannot measure bytes as gc must be exposed: run with --v8-flags=--expose-gc");
  }
  let least = Infinity;
  for (let i = 0; i < tries; i++) {
    gc();
    const before = Deno.memoryUsage().heapUsed;
    await work(n);
    const grown = Deno.memoryUsage().heapUsed - before;
    if (grown >= 0 && grown < least) least = grown;
  }
  return least;
}
