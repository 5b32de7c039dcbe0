/**
 * Our side of the comparisons of potentials of crystals: `nvt.ts CASE '{"input", "warm", "steps", "runtime"}'` serves
 * turns (serve_turns.ts) of Langevin dynamics at 300 K, one thread.
 *
 * @module
 */

import { Batch, initVelocities } from "../../src/batch/mod.ts";
import { NVTLangevin } from "../../src/dynamics/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import type { Asked } from "../dynamics/ours.ts";
import { openOrLeave, serveTurns } from "../peers/serve_turns.ts";
import type { PotentialInput } from "./potentials.ts";

if (import.meta.main) {
  const { input, warm, steps, runtime }: Asked & { readonly runtime: "web" | "native" } = JSON
    .parse(Deno.args[1]!);
  const { model: path, options, symbols, positions, cell }: PotentialInput = JSON.parse(
    await Deno.readTextFile(input),
  );
  const model = await openOrLeave(() =>
    OnnxModel.open(path, { ...options, threads: 1, verify: false, runtime })
  );
  const batch = Batch.from([{ symbols, positions, cell, pbc: [true, true, true] }]);
  initVelocities(batch, 300, { seed: 1 });
  const engine = new NVTLangevin({
    model,
    dt: 1,
    temperature: 300,
    friction: 0.01,
    seed: 1,
    device: "wasm",
  });
  await engine.run(batch, 0);
  const energy = [...batch.get("energy")];
  await engine.run(batch, warm);
  await serveTurns({ peer: "hooke", dtype: "float32", energy }, async () => {
    await engine.run(batch, steps);
    return { events: steps };
  });
}
