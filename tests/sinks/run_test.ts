// Runs that write to sinks in files: their content, and the effect of a failing sink on others.
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Batch } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { SnapshotHook } from "../../src/observe/mod.ts";
import {
  AseDatabaseSink,
  CsvSink,
  ExtxyzSink,
  JsonlSink,
  MemorySink,
  type StoredSink,
} from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { ARGON, crystals } from "../dynamics/atoms.ts";

const FIELDS = ["positions", "velocities", "forces", "energy", "step", "time", "sourceId"];

/** Sinks whose systems can be read, with the endings of their files. */
const KINDS = { xyz: ExtxyzSink, jsonl: JsonlSink, db: AseDatabaseSink };

function engine(warnings: string[] = []): NVE {
  const onWarning = ({ error }: { readonly error: unknown }) => void warnings.push(String(error));
  return new NVE({ model: ARGON, dt: 2, device: "reference", onWarning });
}

Deno.test("a run writes bitwise identical frames to every kind of sink, with steps, times and systems", () =>
  withFolder(async (folder) => {
    const memory = new MemorySink();
    const stored: StoredSink[] = Object.entries(KINDS).map(([ending, kind]) =>
      new kind(`${folder}/x.${ending}`)
    );
    const table = new CsvSink(`${folder}/x.csv`);
    await using md = engine();
    for (const sink of [memory, ...stored, table]) {
      md.hooks.add(new SnapshotHook({ sink, frequency: 2 }));
    }
    await md.run(crystals(2), 5);
    const kept: Batch = memory.read();
    assertEquals([...kept.get("step")], [0, 0, 2, 2, 4, 4]);
    assertEquals([...kept.get("sourceId")], [0, 1, 0, 1, 0, 1]);
    await md.close();
    for (const sink of stored) {
      const read = await sink.read();
      for (const name of FIELDS) {
        assertEquals(read.get(name), kept.get(name), `${name} of ${sink.path}`);
      }
      const second = await sink.slice({ time: [5, 7], systems: [1] });
      assertEquals(second.get("positions"), kept.select([3]).get("positions"));
      await sink.close();
    }
    assertEquals((await table.table()).get("energy"), kept.get("energy"));
    await table.close();
  }));

Deno.test("a sink that fails stops the run, or only warns if its hook is added so, and other sinks get all frames", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    for (const [ending, kind] of Object.entries(KINDS)) {
      const good = new kind(`${folder}/good.${ending}`);
      const bad = new kind(`${folder}/file/bad.${ending}`);
      const warnings: string[] = [];
      const md = engine(warnings);
      md.hooks.add(new SnapshotHook({ sink: bad }), { onError: "warn" });
      md.hooks.add(new SnapshotHook({ sink: good }));
      await md.run(crystals(1), 4);
      await md.close().catch(() => {}); // closing the hook of the bad sink fails, too
      assert(warnings.some((text) => text.includes(`Cannot open ${bad.path}`)), `${warnings}`);
      assertEquals([...(await good.read()).get("step")], [0, 1, 2, 3]);
      await good.close();

      await assertRejects(
        async () => {
          await using strict = engine();
          strict.hooks.add(new SnapshotHook({ sink: new kind(bad.path) }));
          await strict.run(crystals(1), 100);
        },
        Error,
        `Cannot open ${bad.path}`,
      );
    }
  }));
