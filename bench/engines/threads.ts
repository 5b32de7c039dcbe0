import { NVE } from "../../src/dynamics/mod.ts";
import { argonModel, crystals } from "../dynamics/input.ts";
import type { BenchResult, BenchRow } from "../row.ts";
import { show } from "../show.ts";

/** 64 crystals of 108 atoms. */
const SYSTEMS = 64, CELLS = 3, DT = 2;
/** Turns are short, so that some of them find both cores idle on a busy machine. */
const STEPS = 150, WARM = 500, TURNS = 150, QUICK_TURNS = 20;

/** Wall time of a step on two threads, by that on one: the least of many turns of each, taken in turns. */
export const threads: BenchRow = {
  id: "engines/4",
  name: "NVE, 64 × 108 atoms, two threads against one, wall time",
  limit: 0.6,
  unit: "x",
  run: ({ isQuick = false }) => measure(isQuick ? QUICK_TURNS : TURNS),
};

async function measure(turns: number): Promise<BenchResult> {
  await using one = new NVE({ model: argonModel(), dt: DT });
  await using two = new NVE({ model: argonModel(), dt: DT, threads: 2 });
  const bodies = await Promise.all([one, two].map(async (engine) => {
    const batch = await engine.run(crystals(CELLS, SYSTEMS), WARM);
    return { run: () => engine.run(batch, STEPS), batch, times: [] as number[] };
  }));
  for (let turn = 0; turn < turns; turn++) {
    for (const { run, times } of bodies) {
      const begun = performance.now();
      await run();
      times.push((performance.now() - begun) / STEPS);
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
    throw new Error("Cannot time threads: what they come to must be the same: positions differ");
  }
}
