/**
 * Our side of the comparisons of ANI-1x: `ours.ts CASE '{"input", "warm", "steps"}'` serves turns (serve_turns.ts) of
 * NVE on wasm, one thread: integrator, pairs, edges and triplets, model.
 *
 * @module
 */

import { Batch, initVelocities } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import type { Asked } from "../dynamics/ours.ts";
import { serveTurns } from "../peers/serve_turns.ts";
import { ELEMENTS, type Molecules } from "./molecules.ts";

/** An engine on the molecules, at 300 K. */
export async function openAni({ model: path, systems }: Molecules): Promise<AniRun> {
  const model = await OnnxModel.open(path, {
    cutoff: 5.2,
    reach: 3.5,
    elements: [...ELEMENTS],
    threads: 1,
  });
  const batch = Batch.from(systems);
  initVelocities(batch, 300, { seed: 1 });
  return { batch, engine: new NVE({ model, dt: 0.5 }) };
}

/** A run of ANI-1x. */
export interface AniRun {
  readonly batch: Batch;
  readonly engine: NVE;
}

if (import.meta.main) {
  const { input, warm, steps }: Asked = JSON.parse(Deno.args[1]!);
  const { batch, engine } = await openAni(JSON.parse(await Deno.readTextFile(input)));
  await engine.run(batch, 0);
  const energy = [...batch.get("energy")];
  await engine.run(batch, warm);
  await serveTurns({ peer: "hooke", dtype: "float32", energy }, async () => {
    await engine.run(batch, steps);
    return { events: steps };
  });
}
