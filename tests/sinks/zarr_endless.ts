// Writes frames to a Zarr store until zarr_kill_slow_test.ts kills it.
import { Batch } from "../../src/batch/mod.ts";
import { ZarrSink, type ZarrSinkOptions } from "../../src/sinks/mod.ts";

/**
 * Returns the frame of a step. Every number in it depends on the step, so that mixed frames are detected.
 * Frames differ in size.
 */
export function frameAt(step: number): Batch {
  const atoms = 1 + step % 5;
  const rows = (value: number) => Array.from({ length: atoms }, () => [value, value, value]);
  const batch = Batch.from([{
    numbers: Array.from({ length: atoms }, () => 1 + step % 80),
    positions: rows(step),
    forces: rows(-step),
    energy: step / 3,
    info: { step },
    edges: Array.from({ length: atoms - 1 }, (_, i) => [i, i + 1]),
  }]);
  batch.set("step", step, { level: "system", dtype: "i32", fill: -1 });
  return batch;
}

/** Options of the store: small chunks, so that all cases occur soon. */
export function optionsAt(turn: number): ZarrSinkOptions {
  return { compression: turn % 2 === 0 ? "zstd" : "none", chunkBytes: 256, level: -1 };
}

if (import.meta.main) {
  const [path, turn] = Deno.args as [string, string];
  const sink = new ZarrSink(path, optionsAt(Number(turn)));
  const tell = (safe: number) => Deno.stdout.write(new TextEncoder().encode(`${safe}\n`));
  await tell(0);
  await sink.open();
  for (let step = sink.length;; step++) {
    await sink.write(frameAt(step));
    if (step % 3 === 0) continue;
    await sink.flush();
    await tell(step + 1);
  }
}
