// Frames of diverged runs: values that are not finite are data, and such frames are removed without reading
// them.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch, System } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { tethers } from "../../src/models/mod.ts";
import { SnapshotHook } from "../../src/observe/mod.ts";
import { ExtxyzSink, JsonlSink, openSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const DIMER = new System({
  symbols: ["Ar", "Ar"],
  positions: [1, 0, 0, 5, 0, 0],
  velocities: [0, 0, 0, 0.1, 0, 0],
  cell: [20, 20, 20],
  energy: -1,
});

/** Returns three frames, of which the middle one has values that are not finite. */
function frames(): Batch[] {
  return [0, 1, 2].map((k) => {
    const batch = Batch.from([DIMER]);
    if (k !== 1) return batch;
    batch.get("positions").set([NaN, Infinity, -Infinity]);
    batch.get("velocities")[3] = NaN;
    batch.get("cell")[0] = NaN;
    batch.get("cell")[4] = Infinity;
    batch.get("energy")[0] = -Infinity;
    return batch;
  });
}

for (const ending of ["xyz", "jsonl", "db", "zarr"]) {
  Deno.test(`${ending}: a frame with numbers that are not finite is read, and frames after it, too`, async () => {
    await withFolder(async (folder) => {
      const path = `${folder}/run.${ending}`;
      const written = frames();
      {
        const sink = await openSink(path);
        for (const frame of written) await sink.write(frame);
        await sink.close();
      }
      const sink = await openSink(path);
      assertEquals(sink.length, 3);
      const all = await sink.read();
      for (const name of ["positions", "velocities", "cell", "energy"] as const) {
        assertEquals([...all.get(name)], written.flatMap((frame) => [...frame.get(name)]), name);
      }
      const good = await sink.slice({ from: 2 });
      assertEquals([...good.get("positions")], [1, 0, 0, 5, 0, 0]);
      await sink.truncate(2);
      await sink.write(written[2]!);
      assertEquals((await sink.slice({ from: 1 })).get("positions")[0], NaN);
      await sink.close();
    });
  });
}

for (const ending of ["xyz", "jsonl", "db"]) {
  Deno.test(`${ending}: a run resumes from a good checkpoint, whatever was written after it`, async () => {
    await withFolder(async (folder) => {
      const [path, checkpoint] = [`${folder}/run.${ending}`, `${folder}/run.hooke`];
      const model = tethers({ stiffness: 0.1 });
      const open = async () => {
        const sink = await openSink(path);
        const md = new NVE({ model, dt: 1, hooks: [new SnapshotHook({ sink, frequency: 5 })] });
        return { sink, md };
      };
      {
        const { sink, md } = await open();
        await md.run(Batch.from([DIMER]), 6);
        await md.saveCheckpoint(checkpoint);
        const bad = await sink.slice({ from: 1 });
        bad.get("positions")[0] = NaN;
        bad.get("velocities").fill(-Infinity);
        await sink.write(bad);
        await Promise.all([md.close(), sink.close()]);
      }
      const { sink, md } = await open();
      await md.run(await md.loadCheckpoint(checkpoint), 6);
      const frames = await sink.read();
      assertEquals([...frames.get("step")], [0, 5, 10]);
      assert(Array.from(frames.get("positions")).every(Number.isFinite));
      await Promise.all([md.close(), sink.close()]);
    });
  });
}

const SPOILT = { xyz: `Ar${" x".repeat(12)}`, jsonl: '"positions":["x"]' } as const;

for (const [ending, spoilt] of Object.entries(SPOILT)) {
  Deno.test(`${ending}: systems are removed without reading them`, async () => {
    await withFolder(async (folder) => {
      const path = `${folder}/run.${ending}`;
      const make = () => ending === "xyz" ? new ExtxyzSink(path) : new JsonlSink(path);
      const sink = make();
      for (let i = 0; i < 3; i++) await sink.write(Batch.from([DIMER]));
      await sink.close();
      const text = await Deno.readTextFile(path);
      const at = text.lastIndexOf(ending === "xyz" ? "Ar " : '"positions":');
      const end = ending === "xyz" ? text.indexOf("\n", at) : text.indexOf("]", at) + 1;
      await Deno.writeTextFile(path, text.slice(0, at) + spoilt + text.slice(end));
      await assertRejects(() => make().read(), SyntaxError);
      const mended = make();
      await mended.truncate(2);
      await mended.write(Batch.from([DIMER]));
      assertEquals((await mended.read()).size, 3);
      await mended.close();
    });
  });
}
