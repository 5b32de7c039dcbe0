// A process that is killed while systems stream through it into a file, again and again.
import { killStream } from "./killed_stream_again.ts";

for (const [ending, kills] of [["xyz", 20], ["zarr", 10], ["jsonl", 5], ["db", 5]] as const) {
  Deno.test(`${ending}: killed ${kills} times a stream ends with the file of one that never was, each system in it once`, async () => {
    await killStream(ending, kills, 7);
  });
}
