/** Adds frames to a sink until kill_slow_test.ts kills it. Prints the number of flushed frames. */
import { Batch } from "../../src/batch/mod.ts";
import { openSink } from "../../src/sinks/mod.ts";

/** Returns the frame of a step. Every number in it depends on the step, and some are large. */
export function frameAt(step: number): Batch {
  const atoms = step % 7 === 3 ? 4000 : 1 + step % 5;
  const positions = Array.from({ length: 3 * atoms }, (_, i) => step + i / 7);
  const batch = Batch.from([
    {
      numbers: Array.from({ length: atoms }, (_, i) => 1 + (step + i) % 90),
      positions,
      energy: -step,
    },
  ]);
  batch.set("step", step, { level: "system", dtype: "i32", fill: -1 });
  batch.set("time", step / 4, { level: "system", unit: "fs", fill: NaN });
  return batch;
}

if (import.meta.main) {
  const sink = await openSink(Deno.args[0]!);
  for (let step = sink.length;; step++) {
    await sink.write(frameAt(step));
    if (step % 4 !== 0) continue;
    await sink.flush();
    Deno.stdout.writeSync(new TextEncoder().encode(`${step + 1}\n`));
  }
}
