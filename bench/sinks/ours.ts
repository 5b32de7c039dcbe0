/**
 * Writes frames with Hooke for comparisons of sinks. `ours.ts CASE '{"steps"}'` serves turns (serve_turns.ts). A turn
 * writes `steps` frames of 4000 atoms, with positions and forces as float32, to a new Zarr store, and closes the
 * store.
 *
 * @module
 */

import { serveTurns } from "../peers/serve_turns.ts";
import { ZarrSink } from "../../src/sinks/mod.ts";
import { makeFrames } from "./frames.ts";

/** Different frames, which are written over and over. */
const DIFFERENT = 8;

/** Throws an `Error` where a store has not as many frames as were written to it. */
function assertWhole(path: string, length: number, steps: number): void {
  const { attributes } = JSON.parse(Deno.readTextFileSync(`${path}/zarr.json`));
  if (length === steps && attributes.num_samples === steps) return;
  throw new Error(
    `Cannot time ${path}: it must have ${steps} frames: it has ${attributes.num_samples}`,
  );
}

if (import.meta.main) {
  const [name, asked] = Deno.args as [string, string];
  const { steps } = JSON.parse(asked) as { steps: number };
  const compression = name.includes("zstd") ? "zstd" : "none";
  const frames = makeFrames(4000, DIFFERENT);
  const folder = await Deno.makeTempDir();
  let turn = 0;
  await serveTurns({ peer: "hooke", dtype: "float32", compression }, async () => {
    const path = `${folder}/${turn++}.zarr`;
    await Deno.remove(`${folder}/${turn - 2}.zarr`, { recursive: true }).catch(() => {});
    const sink = new ZarrSink(path, { compression, precision: "f32", fields: ["forces"] });
    for (let step = 0; step < steps; step++) {
      const frame = frames[step % DIFFERENT]!;
      frame.get("step")[0] = step;
      await sink.write(frame);
    }
    await sink.close();
    assertWhole(path, sink.length, steps);
    return { events: steps };
  });
  await Deno.remove(folder, { recursive: true });
}
