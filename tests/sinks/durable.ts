/**
 * Repeatedly writes frames, flushes, and marks each flush. Started by a test that traces its system calls.
 */
import { Batch } from "../../src/batch/mod.ts";
import { openSink } from "../../src/sinks/mod.ts";

if (import.meta.main) {
  const [path, marks] = Deno.args as [string, string];
  const sink = await openSink(path);
  for (let flush = 0; flush < 3; flush++) {
    for (let i = 0; i < 5; i++) {
      await sink.write(Batch.from([{ symbols: ["Ar"], positions: [flush, i, 0], info: { i } }]));
    }
    await sink.flush();
    Deno.mkdirSync(`${marks}/flushed-${flush}`); // in a folder that is not of a sink
  }
  await sink.truncate(7);
  await sink.flush();
  Deno.mkdirSync(`${marks}/flushed-3`);
  await sink.close();
}
