/**
 * Our side of the comparison of relaxations with ANI-1x: `relaxed.ts CASE '{"input", "runtime"}'` serves turns
 * (serve_turns.ts). A turn relaxes all molecules in one batch by FIRE to 0.05 eV/Å, with forces derived from energies,
 * one thread. Making batch and engine is not timed, as with the peer.
 *
 * @module
 */

import { Batch } from "../../src/batch/mod.ts";
import { ConvergenceHook, FIRE } from "../../src/dynamics/mod.ts";
import type { OnnxModel } from "../../src/models/onnx.ts";
import { type Done, openOrLeave, serveTurns, timeTurn } from "../peers/serve_turns.ts";
import type { Molecules } from "./molecules.ts";
import { openAniModel } from "./ours.ts";

const FMAX = 0.05, MOST_STEPS = 300;

function engineOf(model: OnnxModel): FIRE {
  const hooks = [ConvergenceHook.fromFmax(FMAX)];
  return new FIRE({ model, dt: 0.1, dtMax: 1, maxStep: 0.2, hooks, device: "wasm" });
}

/** Relaxes the molecules. Throws an `Error` if one does not converge. */
export async function relax(
  model: OnnxModel,
  systems: Molecules["systems"],
): Promise<Done> {
  const batch = Batch.from(systems);
  await using engine = engineOf(model);
  const cost = await timeTurn(async () => {
    await engine.run(batch, MOST_STEPS);
    return { events: 1 };
  });
  if (batch.get("status").includes(0)) {
    throw new Error("Cannot time relaxations: a molecule has not converged");
  }
  const each = [...batch.get("stepsDone")].map(Number);
  return { ...cost, steps: engine.stepCount, systemSteps: each.reduce((a, b) => a + b) };
}

if (import.meta.main) {
  const { input, runtime }: { readonly input: string; readonly runtime: "web" | "native" } = JSON
    .parse(Deno.args[1]!);
  const { energies, systems }: Molecules = JSON.parse(await Deno.readTextFile(input));
  const model = await openOrLeave(() => openAniModel(energies, runtime));
  const batch = Batch.from(systems);
  await using engine = engineOf(model);
  await engine.run(batch, 0);
  const energy = [...batch.get("energy")];
  await relax(model, systems);
  await serveTurns(
    { peer: "hooke", dtype: "float32", energy },
    () => relax(model, systems),
  );
}
