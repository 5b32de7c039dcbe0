// A run that begins at step 0 never silently appends frames to those of an earlier run in the same file.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { NVE } from "../../src/dynamics/mod.ts";
import { CheckpointHook, ConvergedSnapshotHook, SnapshotHook } from "../../src/observe/mod.ts";
import { openSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { ARGON, crystals } from "../dynamics/atoms.ts";

interface Added {
  readonly length: number;
  readonly warnings: readonly string[];
}

/** Runs 10 steps from step 0 into a file, optionally twice with the same sink. */
async function run(path: string, more: readonly object[] = [], times = 1): Promise<Added> {
  const warnings: string[] = [];
  const sink = await openSink(path);
  try {
    for (let i = 0; i < times; i++) {
      await using md = new NVE({
        model: ARGON,
        dt: 1,
        device: "reference",
        hooks: [new SnapshotHook({ sink, frequency: 5 }), ...more] as never[],
        onWarning: ({ error }) => void warnings.push((error as Error).message),
      });
      await md.run(crystals(1), 10);
    }
    await sink.flush();
    return { length: sink.length, warnings };
  } finally {
    await sink.close();
  }
}

for (const ending of ["xyz", "jsonl", "db", "zarr", "csv"]) {
  Deno.test(`.${ending}: with checkpoints, a run at step 0 is refused if the file has frames of another run`, () =>
    withFolder(async (folder) => {
      const path = `${folder}/a.${ending}`, hook = () => new CheckpointHook({ folder });
      assertEquals(await run(path, [hook()]), { length: 2, warnings: [] });
      for (const { name } of Deno.readDirSync(folder)) {
        if (name.endsWith(".hooke")) await Deno.remove(`${folder}/${name}`);
      }
      const error = await assertRejects(() => run(path, [hook()]), RangeError);
      assert(
        error.message.startsWith(
          `Cannot begin NVE at step 0: ${path} holds 2 systems of an earlier run, up to step 5. `,
        ),
        error.message,
      );
      const sink = await openSink(path);
      assertEquals(sink.length, 2);
      await sink.close();
    }));
}

Deno.test("without checkpoints frames are appended with a warning, and without a warning to a sink that stays open", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.jsonl`;
    assertEquals(await run(path, [], 2), { length: 4, warnings: [] });
    const { length, warnings } = await run(path, [], 2);
    assertEquals([length, warnings.length], [8, 1]);
    assert(
      warnings[0]!.startsWith(`${path} holds 4 systems of an earlier run, up to step 5, and `),
    );
  }));

Deno.test("files of structures and of relaxed systems are appended to without a warning", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.jsonl`;
    const sink = await openSink(path);
    await sink.write(crystals(1));
    await sink.close();
    assertEquals(await run(path, [new CheckpointHook({ folder })]), { length: 3, warnings: [] });
    const other = await openSink(path), warnings: unknown[] = [];
    await using md = new NVE({
      model: ARGON,
      dt: 1,
      device: "reference",
      hooks: [new ConvergedSnapshotHook({ sink: other })],
      onWarning: (warning) => void warnings.push(warning),
    });
    await md.run(crystals(1), 5);
    await other.close();
    assertEquals(warnings, []);
  }));
