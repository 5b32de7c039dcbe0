/**
 * Relaxations in flight beside torch-sim's. `in_flight.ts CASE '{"input"}'` serves turns of ours (serve_turns.ts).
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { System } from "../../src/batch/mod.ts";
import { ConvergenceHook, FIRE, SizeAwareSampler } from "../../src/dynamics/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { compareWith } from "../dynamics/against.ts";
import { argonModel } from "../dynamics/input.ts";
import { type Done, serveTurns, timeTurn } from "../peers/serve_turns.ts";
import type { BenchRow } from "../row.ts";
import type { Crystals } from "./rattled_crystals.ts";

const AT_ONCE = 64, FMAX = 0.01;
/** The settings of the other benchmarks of FIRE. */
const ROOT_OF_MASS = Math.sqrt(39.948);
const RELAX = { dt: 0.1 * ROOT_OF_MASS, dtMax: ROOT_OF_MASS, maxStep: 0.2 } as const;

/** Relaxes crystals in one batch that is kept full. Throws an `Error` if a crystal is missing in the results. */
export async function streamed(crystals: readonly System[]): Promise<Done> {
  const sink = new MemorySink();
  const hooks = [ConvergenceHook.fromFmax(FMAX)];
  await using engine = new FIRE({ model: argonModel(), ...RELAX, hooks, device: "wasm" });
  const sampler = new SizeAwareSampler(crystals, { maxSystems: AT_ONCE });
  const cost = await timeTurn(async () => {
    await engine.stream(sampler, { sinks: [sink] });
    return { events: 1 };
  });
  if (sink.length !== crystals.length) {
    throw new Error(`Cannot time relaxations: ${sink.length} of ${crystals.length} were written`);
  }
  return { ...cost, steps: engine.stepCount };
}

/** Wall time of ours over that of torch-sim, in the precision in which torch-sim is faster. */
export const inFlight: BenchRow = {
  id: "engines/6",
  name: "640 crystals of 32 atoms relaxed in flight, 64 at once: wall time, against torch-sim",
  limit: 0.05,
  unit: "x",
  run: (setting) =>
    compareWith(setting, {
      case: "in flight 640x32",
      peers: ["torch-sim", "torch-sim f32"],
      of: "wall",
      repeats: 3,
      ours: fileURLToPath(import.meta.url),
    }),
};

if (import.meta.main) {
  const { input } = JSON.parse(Deno.args[1]!);
  const { systems }: Crystals = JSON.parse(await Deno.readTextFile(input));
  const crystals = systems.map(({ cell, positions }) =>
    new System({ symbols: new Array<string>(positions.length / 3).fill("Ar"), cell, positions })
  );
  await streamed(crystals);
  await serveTurns({ peer: "hooke", dtype: "float32" }, () => streamed(crystals));
}
