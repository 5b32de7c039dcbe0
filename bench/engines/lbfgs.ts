/**
 * Relaxations by L-BFGS beside torch-sim's. `lbfgs.ts CASE '{"input"}'` serves turns of ours (serve_turns.ts).
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { ConvergenceHook, LBFGS } from "../../src/dynamics/mod.ts";
import { compareWith } from "../dynamics/against.ts";
import { argonModel, readInput } from "../dynamics/input.ts";
import { type Done, serveTurns, timeTurn } from "../peers/serve_turns.ts";
import type { BenchRow } from "../row.ts";

const FMAX = 0.01, MOST_STEPS = 500, RELAXATIONS = 50;

/**
 * Relaxations of the same rattled crystals, an engine for each. Making batch and engine is not timed, as with the peer;
 * a turn has many, so that it takes about as long as one of a peer's.
 */
async function openRelaxations(input: string): Promise<() => Promise<Done>> {
  const rattled = await readInput(input);
  const turn = async () => {
    const made = Array.from({ length: RELAXATIONS }, () => ({
      batch: rattled.clone(),
      engine: new LBFGS({ model: argonModel(), hooks: [ConvergenceHook.fromFmax(FMAX)] }),
    }));
    const cost = await timeTurn(async () => {
      for (const { batch, engine } of made) await engine.run(batch, MOST_STEPS);
      return { events: RELAXATIONS };
    });
    for (const { batch, engine } of made) {
      await engine.close();
      if (batch.get("status").every((status) => status === 1)) continue;
      throw new Error("Cannot time relaxations: all systems must be relaxed: one is not");
    }
    return { ...cost, steps: made[0]!.engine.stepCount };
  };
  await turn();
  return turn;
}

/** Wall time of a relaxation, over that of torch-sim in the precision that it is faster in. */
export const lbfgsRow: BenchRow = {
  id: "engines/5",
  name: "L-BFGS to fmax 0.01, 64 × 32 atoms: wall time, against torch-sim",
  limit: 0.05,
  unit: "x",
  run: (setting) =>
    compareWith(setting, {
      case: "lbfgs 64x32",
      peers: ["torch-sim", "torch-sim f32"],
      of: "wall",
      ours: fileURLToPath(import.meta.url),
    }),
};

if (import.meta.main) {
  const { input } = JSON.parse(Deno.args[1]!);
  await serveTurns({ peer: "hooke", dtype: "float32" }, await openRelaxations(input));
}
