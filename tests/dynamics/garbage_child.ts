/** Prints the bytes that a step leaves on the heap, without hooks and with one that litters. Needs --expose-gc, and room. */
import { Batch, System } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { ARGON } from "./atoms.ts";

const { gc } = globalThis as unknown as { gc(): void };
const STEPS = 2000;
let last: object | undefined;

/** Garbage of a run with a number of steps: the least of several runs. */
async function left(run: (steps: number) => Promise<unknown>, steps: number): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 15; i++) {
    gc();
    const before = Deno.memoryUsage().heapUsed;
    await run(steps);
    const grown = Deno.memoryUsage().heapUsed - before;
    if (grown >= 0 && grown < least) least = grown;
  }
  return least;
}

/** The slope between a run and one of twice the steps: what a run takes by itself is left out. */
async function perStep(hooks: readonly unknown[]): Promise<number> {
  // Two atoms: a run is one multi-step call, because a longer one is interrupted to look for requests to stop.
  const batch = Batch.from([
    new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3.9, 0, 0] }),
  ]);
  await using md = new NVE({ model: ARGON, dt: 1, device: "wasm", hooks: hooks as never });
  await md.run(batch, 10_000);
  for (let i = 0; i < 300; i++) await md.run(batch, 10);
  const run = (steps: number) => md.run(batch, steps);
  return (await left(run, 2 * STEPS) - await left(run, STEPS)) / STEPS;
}

const litter = hook({
  name: "litter",
  on: { dynamics: { AFTER_STEP: (ctx) => void (last = { step: ctx.stepCount, before: !last }) } },
});
if (import.meta.main) {
  console.log(JSON.stringify({ plain: await perStep([]), littering: await perStep([litter]) }));
}
