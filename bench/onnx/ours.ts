/**
 * Our side of the comparisons of ANI-1x: `ours.ts CASE '{"input", "warm", "steps", "runtime", "file"}'` serves turns
 * (serve_turns.ts) of NVE on one thread: integrator, pairs, edges and triplets, model.
 *
 * @module
 */

import { Batch, initVelocities } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import type { Asked } from "../dynamics/ours.ts";
import { openOrLeave, serveTurns } from "../peers/serve_turns.ts";
import { ELEMENTS, type Molecules } from "./molecules.ts";

/** Settings of a run of ANI-1x. */
export interface AniSettings {
  /** Implementation of onnxruntime. @default "web" */
  readonly runtime?: "web" | "native";
  /** `"energies"`: the file of energies. `"model"`: the file with forces that PyTorch traced. @default "energies" */
  readonly file?: "energies" | "model";
}

/** An engine on the molecules, at 300 K. */
export async function openAni(
  molecules: Molecules,
  { runtime = "web", file = "energies" }: AniSettings = {},
): Promise<AniRun> {
  const model = await openAniModel(molecules[file], runtime);
  const batch = Batch.from(molecules.systems);
  initVelocities(batch, 300, { seed: 1 });
  return { batch, engine: new NVE({ model, dt: 0.5 }) };
}

/** Opens ANI-1x from a file, on one thread. */
export async function openAniModel(path: string, runtime: "web" | "native"): Promise<OnnxModel> {
  return await OnnxModel.open(path, {
    cutoff: 5.2,
    reach: 3.5,
    elements: [...ELEMENTS],
    threads: 1,
    runtime,
  });
}

/** A run of ANI-1x. */
export interface AniRun {
  readonly batch: Batch;
  readonly engine: NVE;
}

if (import.meta.main) {
  const { input, warm, steps, ...settings }: Asked & AniSettings = JSON.parse(Deno.args[1]!);
  const molecules = JSON.parse(await Deno.readTextFile(input));
  const { batch, engine } = await openOrLeave(() => openAni(molecules, settings));
  await engine.run(batch, 0);
  const energy = [...batch.get("energy")];
  await engine.run(batch, warm);
  await serveTurns({ peer: "hooke", dtype: "float32", energy }, async () => {
    await engine.run(batch, steps);
    return { events: steps };
  });
}
