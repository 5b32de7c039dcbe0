// Writes frames to a Zarr store whose files have a size limit; prints the number of flushed frames and the
// error. Then continues with the same store and with one beside it. Started by zarr_refusal_test.ts.
import { ZarrSink } from "../../src/sinks/mod.ts";
import { frameAt, optionsAt } from "./zarr_endless.ts";

if (import.meta.main) {
  const [path, turn] = Deno.args as [string, string];
  const sink = new ZarrSink(path, optionsAt(Number(turn)));
  const other = new ZarrSink(`${path}.other`, { fields: ["energy"] });
  let flushed = 0;
  const told: string[] = [];
  for (let step = 0; step < 3000 && told.length < 2; step++) {
    await other.write(frameAt(step));
    try {
      await sink.write(frameAt(flushed));
      await sink.flush();
      flushed++;
    } catch (error) {
      told.push((error as Error).message);
    }
  }
  await sink.close().catch((error) => told.push(error.message));
  await other.flush();
  console.log(JSON.stringify({ flushed, told, other: other.length }));
}
