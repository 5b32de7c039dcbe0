import { NVE } from "../../src/dynamics/mod.ts";
import { argonModel, crystals } from "./input.ts";
import { type Observer, observers } from "./observers.ts";

/** Heap memory that steps allocate and do not free. */
export interface Garbage {
  /** Bytes per step, no hooks. */
  readonly without: number;
  /** Bytes per step, 8 hooks none of which is due. */
  readonly notDue: number;
}

const STEPS = 1000, TRIES = 25;
/** Runs until V8 has compiled what a run costs once, whatever its length. */
const WARM_UP_RUNS = 500, WARM_UP_STEPS = 100, WARM_UP_TRIES = 10;
const MORE = 16;
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
      `Cannot measure bytes: 0.16 to 0.3 of them must be seen where they are made; got ${seen}`,
    );
  }
  const run = steps([]), idle = steps(observers(NEVER));
  const [without, notDue] = await whileTimeStands(async () =>
    [await slope(run), await slope(idle)] as const
  );
  return { without, notDue };
}

/** No 50 ms ever pass, so the event loop is given no turn: how many there are depends on what else the machine does. */
async function whileTimeStands<T>(work: () => Promise<T>): Promise<T> {
  const { now } = performance, then = performance.now();
  performance.now = () => then;
  try {
    return await work();
  } finally {
    performance.now = now;
  }
}

function steps(hooks: readonly Observer[]): Work {
  const engine = new NVE({ model: argonModel(), dt: 1, hooks });
  const batch = crystals(2);
  return (n) => engine.run(batch, n);
}

/**
 * Returns the growth of the heap per additional step, to a tenth of a byte. Short and long runs alternate. Most runs
 * leave some 700 or 1300 bytes more than the least, whatever their length, so the least of the long runs counts. Of
 * the short runs the third least counts, because one or two may be too small by memory that was collected meanwhile.
 */
async function slope(work: Work, n: number = STEPS, tries: number = TRIES): Promise<number> {
  for (let i = 0; i < WARM_UP_RUNS; i++) await work(WARM_UP_STEPS);
  const less: number[] = [], more: number[] = [];
  for (let i = -WARM_UP_TRIES; i < tries; i++) {
    const [once, longer] = [await growth(work, n), await growth(work, MORE * n)];
    if (i >= 0) less.push(once), more.push(longer);
  }
  const slope = (Math.min(...more) - thirdLeast(less)) / ((MORE - 1) * n);
  return Math.round(Math.max(0, slope) * 10) / 10;
}

function thirdLeast(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[2]!;
}

async function growth(work: Work, n: number): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) {
    throw new Error("Cannot measure bytes: gc must be exposed: run with --v8-flags=--expose-gc");
  }
  gc();
  const before = Deno.memoryUsage().heapUsed;
  await work(n);
  return Deno.memoryUsage().heapUsed - before;
}
