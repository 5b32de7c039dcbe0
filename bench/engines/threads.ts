import { NVE } from "../../src/dynamics/mod.ts";
import { argonModel, crystals } from "../dynamics/input.ts";
import type { BenchResult, BenchRow } from "../row.ts";
import { show } from "../show.ts";

const DT = 2;

/** A case: copies of a crystal of 4 `cells`³ atoms, and how many steps to run. */
interface ThreadsCase {
  readonly cells: number;
  readonly systems: number;
  /** Turns are short, so that some of them find both cores idle on a busy machine. */
  readonly steps: number;
  readonly warm: number;
  readonly turns: number;
  readonly quickTurns: number;
}

const MANY: ThreadsCase = {
  cells: 3,
  systems: 64,
  steps: 150,
  warm: 500,
  turns: 150,
  quickTurns: 20,
};

const ONE: ThreadsCase = {
  cells: 20,
  systems: 1,
  steps: 300,
  warm: 400,
  turns: 15,
  quickTurns: 3,
};

/** Wall time of a step on two threads, by that on one: the least of many turns of each, taken in turns. */
export const threads: BenchRow = {
  id: "engines/4",
  name: "NVE, 64 × 108 atoms, two threads against one, wall time",
  limit: 0.6,
  unit: "x",
  run: ({ isQuick = false }) => measure(MANY, isQuick),
};

/** The same for one large system, whose pairs the threads share. */
export const threadsOnOneSystem: BenchRow = {
  id: "dynamics/18",
  name: "NVE, 32000 atoms, two threads against one, wall time",
  limit: 0.6,
  unit: "x",
  run: ({ isQuick = false }) => measure(ONE, isQuick),
};

async function measure(
  { cells, systems, steps, warm, turns, quickTurns }: ThreadsCase,
  isQuick: boolean,
): Promise<BenchResult> {
  await using one = new NVE({ model: argonModel(), dt: DT });
  await using two = new NVE({ model: argonModel(), dt: DT, threads: 2 });
  const bodies = await Promise.all([one, two].map(async (engine) => {
    const batch = await engine.run(crystals(cells, systems), warm);
    return { run: () => engine.run(batch, steps), batch, times: [] as number[] };
  }));
  for (let turn = 0; turn < (isQuick ? quickTurns : turns); turn++) {
    for (const { run, times } of bodies) {
      const begun = performance.now();
      await run();
      times.push((performance.now() - begun) / steps);
    }
  }
  const [alone, shared] = bodies as [typeof bodies[0], typeof bodies[0]];
  assertSame(alone.batch.get("positions"), shared.batch.get("positions"));
  const runs = [alone, shared].map(({ times }) => Math.min(...times));
  const [before, after] = runs as [number, number];
  return { value: after / before, runs, note: `${show(before)} and ${show(after)} ms per step` };
}

function assertSame(one: ArrayLike<number>, two: ArrayLike<number>): void {
  for (let i = 0; i < one.length; i++) {
    if (one[i] === two[i]) continue;
    throw new Error(
      "Cannot compare times: positions after runs on one thread and on two threads differ",
    );
  }
}
