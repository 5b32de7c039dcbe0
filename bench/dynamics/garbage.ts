import { NVE } from "../../src/dynamics/mod.ts";
import { lowerQuartile } from "./cpu.ts";
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

/** Few enough to be done before the event loop has its turn, most of the time. */
const STEPS = 1000, TRIES = 25, WARM_UP_STEPS = 80_000;
const MORE = 4;
const LONG = 50_000, LONG_TRIES = 2;
const NEVER = 1e9;

/** Does `n` events. */
type Work = (n: number) => Promise<unknown>;

/**
 * Measures garbage of 32 atoms: what more steps leave on the heap more. Throws an `Error` where it does not see
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

/**
 * What more steps leave more, to a tenth of a byte: the lower quartile of tries, each a short run and a longer one. What
 * a run costs once, whatever its length, becomes less as V8 compiles it; turns of the event loop add, and a collection
 * in between takes away.
 */
async function slope(work: Work, n: number = STEPS, tries: number = TRIES): Promise<number> {
  for (let done = 0; done < WARM_UP_STEPS; done += n) await work(n);
  const more: number[] = [];
  for (let i = 0; i < tries; i++) {
    const once = await growth(work, n);
    more.push(await growth(work, MORE * n) - once);
  }
  const least = lowerQuartile(more) / ((MORE - 1) * n);
  return Math.round(Math.max(0, least) * 10) / 10;
}

async function growth(work: Work, n: number): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) {
    throw new Error("Cannot measure bytes as gc must be exposed: run with --v8-flags=--expose-gc");
  }
  gc();
  const before = Deno.memoryUsage().heapUsed;
  await work(n);
  return Deno.memoryUsage().heapUsed - before;
}
