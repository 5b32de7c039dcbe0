// How soon systems become part of a store while a run leaves the event loop few turns.
import { assert } from "@std/assert";
import { hop } from "../../src/base/sequence.ts";
import { Batch } from "../../src/batch/mod.ts";
import { ZarrSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

/** Time in ms for which an engine runs before it gives the event loop a turn. */
const BETWEEN_TURNS = 50;

Deno.test("a loop that yields every 50 ms has its systems in the store about once per second", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/x.zarr`, batch = wide();
    await using sink = new ZarrSink(path);
    await sink.open();
    for (let turn = 0; turn < 66; turn++) {
      await sink.write(batch);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_TURNS);
      await hop(); // as engines do
    }
    // 3.3 s: two commits are complete, which began after 20 and 40 systems.
    const { attributes } = JSON.parse(Deno.readTextFileSync(`${path}/zarr.json`));
    const { num_samples: count } = attributes;
    assert(count > 25, `${count} of 66 systems are in the store`);
  });
});

/** Returns a batch with as many fields as a run writes. */
function wide(): Batch {
  const batch = Batch.from([{ symbols: ["Ar"], positions: [0, 0, 0], energy: 1 }]);
  for (let i = 0; i < 12; i++) batch.set(`field${i}`, i, { level: "system" });
  return batch;
}
