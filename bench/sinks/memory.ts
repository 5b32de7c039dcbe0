/**
 * Measures the memory that a sink keeps. `memory.ts` prints the number of bytes by which the process grows while 1e5
 * frames of 108 atoms are written to a Zarr store, after 1e5 frames of warm-up.
 *
 * @module
 */

import { ZarrSink } from "../../src/sinks/mod.ts";
import { makeFrames } from "./frames.ts";

const WARM = 1e5, FRAMES = 1e5;

/** Bytes that are in use. What arrays hold is given back a little after they are. */
async function used(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    (globalThis as { gc?: () => void }).gc?.();
    await new Promise((done) => setTimeout(done, 50));
  }
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

if (import.meta.main) {
  const frames = makeFrames(108, 8);
  const folder = await Deno.makeTempDir();
  const sink = new ZarrSink(`${folder}/x.zarr`, { precision: "f32" });
  const write = async (from: number, to: number) => {
    for (let step = from; step < to; step++) {
      const frame = frames[step % 8]!;
      frame.get("step")[0] = step;
      await sink.write(frame);
    }
    await sink.flush();
  };
  await write(0, WARM);
  const before = await used(), { rss } = Deno.memoryUsage();
  await write(WARM, WARM + FRAMES);
  console.log(JSON.stringify({ bytes: await used() - before, rss: Deno.memoryUsage().rss - rss }));
  await sink.close();
  await Deno.remove(folder, { recursive: true });
}
