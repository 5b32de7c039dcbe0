/**
 * Measures a step of each optimizer relative to a step of FIRE: `optimizers.ts` prints JSON. Runs in a separate
 * process.
 *
 * @module
 */

import { type Batch, Batch as Batches, fcc, rattle } from "../../src/batch/mod.ts";
import { FIRE, FIRE2, LBFGS } from "../../src/dynamics/mod.ts";
import { middle } from "../dynamics/cpu.ts";
import { argonModel, shuffled } from "../dynamics/input.ts";
import { printedBy } from "../processes.ts";
import type { BenchResult, BenchRow, BenchSetting } from "../row.ts";
import { type Cost, takeTurns } from "../turns.ts";

/** Steps in a turn, turns of each, and turns before. */
const STEPS = 200, TURNS = 25, WARM = 5;
/** Processes that a ratio is taken from. */
const RUNS = 3;

/** The optimizers, as they come. */
const OTHERS = ["FIRE2", "L-BFGS", "L-BFGS with a line search"] as const;
type Name = "FIRE" | typeof OTHERS[number];

/** Rattled crystals of 32 atoms, in no order. */
function rattled(systems: number): Batch {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  return Batches.from(
    Array.from({ length: systems }, (_, seed) => shuffled(rattle(crystal, 0.1, seed), seed)),
  );
}

/** Steps of each in turn, all from the same places; nothing converges, so all systems move in each step. */
async function measure(): Promise<Record<Name, Cost>> {
  const model = argonModel();
  const engines = {
    "FIRE": new FIRE({ model, dt: 0.6, dtMax: 6 }),
    "FIRE2": new FIRE2({ model, dt: 0.05, tMax: 1 }),
    "L-BFGS": new LBFGS({ model }),
    "L-BFGS with a line search": new LBFGS({ model, lineSearch: true }),
  };
  const bodies = Object.entries(engines).map(([name, engine]) => {
    const batch = rattled(64);
    const [places, rest] = [batch.get("positions").slice(), batch.ensure("velocities").slice()];
    return [name, async () => {
      batch.get("positions").set(places);
      batch.get("velocities").set(rest);
      await engine.run(batch, STEPS);
    }] as const;
  });
  const turns = { turns: TURNS, warm: WARM, events: STEPS };
  const costs = await takeTurns(Object.fromEntries(bodies) as Record<Name, () => unknown>, turns);
  for (const engine of Object.values(engines)) await engine.close();
  return costs;
}

/**
 * Row for the ratio of a step of L-BFGS or FIRE2, the larger of the two, to a step of FIRE. A line search is only
 * reported.
 */
export const optimizersRow: BenchRow = {
  id: "engines/1",
  name: "step of L-BFGS and FIRE2, 64 × 32 atoms, against FIRE",
  limit: 1.2,
  unit: "x",
  async run({ isQuick = false }: BenchSetting): Promise<BenchResult> {
    const all = await printedBy<Record<Name, Cost>>("engines/optimizers.ts", {
      times: isQuick ? 1 : RUNS,
    });
    const over = (name: Name) => all.map((costs) => costs[name].wall / costs.FIRE.wall);
    const runs = all.map((_, i) => Math.max(over("FIRE2")[i]!, over("L-BFGS")[i]!));
    const told = OTHERS.map((name) => `${name} ${middle(over(name)).toFixed(3)}×`).join(", ");
    const fire = (1e3 * middle(all.map(({ FIRE }) => FIRE.wall))).toFixed(0);
    return { value: middle(runs), runs, note: `FIRE ${fire} µs per step; ${told}` };
  },
};

if (import.meta.main) console.log(JSON.stringify(await measure()));
