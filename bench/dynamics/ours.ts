/**
 * Our side of the cases of bench/peers: `ours.ts CASE '{"input", "warm", "steps"}'` serves turns (serve_turns.ts).
 *
 * All of it is `engine.run(batch, steps)` on the wasm backend (float32, one thread), so what a run costs besides its
 * steps counts: bringing the values over and home, giving the event loop a turn, energies at the end.
 *
 * @module
 */

import { openBackend } from "../../src/backend/mod.ts";
import { type Batch, temperatureOf } from "../../src/batch/mod.ts";
import { ConvergenceHook, FIRE, NVE } from "../../src/dynamics/mod.ts";
import { CASES } from "../peers/cases.ts";
import { type Done, serveTurns, timeTurn } from "../peers/serve_turns.ts";
import { argonModel, readInput } from "./input.ts";
import { updates } from "./updates.ts";

/** Arguments of a case. */
export interface Asked {
  readonly input: string;
  readonly warm: number;
  readonly steps: number;
  /** Skin of the neighbor list, Å. */
  readonly skin?: number;
}

/** The peers' settings: ASE's own dt and longest dt, which know no masses, for atoms of this mass. */
const ROOT_OF_MASS = Math.sqrt(39.948);
const RELAX = { dt: 0.1 * ROOT_OF_MASS, dtMax: ROOT_OF_MASS, maxStep: 0.2 } as const;
const FMAX = 0.05, MOST_STEPS = 1500, RELAXATIONS = 20;

/** Steps at constant energy, going on from turn to turn. */
async function nve({ input, warm, steps, skin }: Asked): Promise<() => Promise<Done>> {
  const batch = await readInput(input);
  const engine = new NVE({ model: argonModel(skin), dt: 1 });
  await engine.run(batch, warm);
  let builds = await buildsOf(engine);
  return async () => {
    const cost = await timeTurn(async () => {
      await engine.run(batch, steps);
      return { events: batch.nodeCount * steps };
    });
    const before = builds;
    builds = await buildsOf(engine);
    return { ...cost, builds: builds - before, kelvin: temperatureOf(batch)[0]! };
  };
}

/** Returns the number of rebuilds of the neighbor list of the first system. */
async function buildsOf(engine: NVE): Promise<number> {
  const { resident: { pairs } } = await engine.save();
  return Object.values(pairs)[0]!.builds[0]!;
}

/**
 * Relaxations of the same rattled crystals, an engine for each. Making batch and engine is not timed, as with the
 * peers. A turn has many, so that it takes about as long as one of a peer's.
 */
async function relax({ input, skin }: Asked): Promise<() => Promise<Done>> {
  const rattled = await readInput(input);
  const turn = async () => {
    const made = Array.from({ length: RELAXATIONS }, () => ({
      batch: rattled.clone(),
      engine: new FIRE({
        model: argonModel(skin),
        hooks: [ConvergenceHook.fromFmax(FMAX)],
        ...RELAX,
      }),
    }));
    const cost = await timeTurn(async () => {
      for (const { batch, engine } of made) await engine.run(batch, MOST_STEPS);
      return { events: RELAXATIONS };
    });
    for (const { engine } of made) await engine.close();
    const [{ batch, engine }] = made as [typeof made[0]];
    return { ...cost, steps: engine.stepCount, fmax: fmaxOf(batch) };
  };
  await turn();
  return turn;
}

function fmaxOf(batch: Batch): number {
  const f = batch.get("forces");
  let most = 0;
  for (let i = 0; i < f.length; i += 3) {
    most = Math.max(most, Math.hypot(f[i]!, f[i + 1]!, f[i + 2]!));
  }
  return most;
}

/**
 * Measures an update alone, over as many atoms as the peers' kernel.c, and as many steps at once as a multi-step call
 * of the engine has.
 */
function update(which: "kickDrift" | "verlet"): () => Promise<Done> {
  const all = updates(openBackend("wasm")), steps = 666;
  const turn = () => {
    all[which](steps);
    return Promise.resolve({ events: all.atoms * steps });
  };
  turn();
  all.check();
  return turn;
}

/** Sets a case up, and answers with what a turn of it does. */
export async function openCase(name: string, asked: Asked): Promise<() => Promise<Done>> {
  if (name === "kick and drift") return update("kickDrift");
  if (name === "velocity Verlet update") return update("verlet");
  return CASES[name]!.per === "relaxation" ? await relax(asked) : await nve(asked);
}

if (import.meta.main) {
  const [name, asked] = Deno.args;
  const turn = await openCase(name!, JSON.parse(asked!));
  await serveTurns({ peer: "hooke", dtype: "float32" }, turn);
}
