// A checkpoint knows how much each sink had, and of which run: a file that is shorter, or another's, is refused.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { openRunFolder, resume } from "../../src/config/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { LoggingHook, SnapshotHook } from "../../src/observe/mod.ts";
import { openSink, type StoredSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { ARGON, crystals } from "../dynamics/atoms.ts";

const ENDINGS = ["xyz", "jsonl", "db", "zarr"];

function engine(hooks: readonly object[], dt = 1): NVE {
  return new NVE({ model: ARGON, dt, device: "reference", hooks: hooks as [] });
}

/** Writes frames of 20 steps, with a checkpoint after 10 and after 20 steps. */
async function begin(folder: string, ending: string, dt = 1): Promise<string> {
  const path = `${folder}/run-${dt}.${ending}`;
  const sink = await openSink(path);
  await using md = engine([new SnapshotHook({ sink, frequency: 5 })], dt);
  const batch = await md.run(crystals(1), 10);
  await md.saveCheckpoint(`${folder}/10-${dt}.hooke`);
  await md.run(batch, 10);
  await md.saveCheckpoint(`${folder}/20-${dt}.hooke`);
  await sink.close();
  return path;
}

/** Resumes a run; answers with the steps of its frames. */
async function goOn(checkpoint: string, path: string): Promise<number[]> {
  const sink = await openSink(path);
  try {
    await using md = engine([new SnapshotHook({ sink, frequency: 5 })]);
    await md.run(await md.loadCheckpoint(checkpoint), 5);
    await sink.flush();
    return [...(await sink.read()).get("step")];
  } finally {
    await sink.close();
  }
}

async function inSink<T>(path: string, work: (sink: StoredSink) => Promise<T>): Promise<T> {
  const sink = await openSink(path);
  try {
    return await work(sink);
  } finally {
    await sink.close();
  }
}

for (const ending of ENDINGS) {
  Deno.test(`a .${ending} with fewer frames than the checkpoint says is refused, and stays as it is`, () =>
    withFolder(async (folder) => {
      const path = await begin(folder, ending);
      await inSink(path, (sink) => sink.truncate(2));
      const refused = () => goOn(`${folder}/20-1.hooke`, path);
      await assertRejects(refused, RangeError, `${path} holds 2 systems, and held 4 when`);
      assertEquals(await inSink(path, (sink) => Promise.resolve(sink.length)), 2);
      assertEquals(await goOn(`${folder}/10-1.hooke`, path), [0, 5, 10]);
      await Deno.remove(path, { recursive: true });
      await assertRejects(refused, RangeError, `${path} holds 0 systems, and held 4 when`);
    }));

  Deno.test(`a .${ending} that another run wrote is refused, and stays as it is`, () =>
    withFolder(async (folder) => {
      await begin(folder, ending);
      const other = await begin(folder, ending, 2);
      await assertRejects(
        () => goOn(`${folder}/10-1.hooke`, other),
        RangeError,
        `${other} was written by another run`,
      );
      assertEquals(await inSink(other, (sink) => Promise.resolve(sink.length)), 4);
    }));
}

Deno.test("a checkpoint that is written before a resumed run has written anything still knows the run", () =>
  withFolder(async (folder) => {
    const path = await begin(folder, "jsonl"), other = await begin(folder, "jsonl", 2);
    const again = `${folder}/again.hooke`;
    await inSink(path, async (sink) => {
      await using md = engine([new SnapshotHook({ sink, frequency: 5 })]);
      await md.loadCheckpoint(`${folder}/10-1.hooke`);
      await md.saveCheckpoint(again);
    });
    await assertRejects(() => goOn(again, other), RangeError, "another run");
    assertEquals(await goOn(again, path), [0, 5, 10]);
  }));

Deno.test("a log with fewer rows than the checkpoint says is refused", () =>
  withFolder(async (folder) => {
    const path = `${folder}/log.csv`;
    const log = () => new LoggingHook({ backend: "csv", logPath: path, frequency: 1 });
    await using md = engine([log()]);
    await md.run(crystals(1), 5);
    await md.saveCheckpoint(`${folder}/5.hooke`);
    const { size } = await Deno.stat(path);
    await Deno.truncate(path, size >> 1);
    await using again = engine([log()]);
    const batch = await again.loadCheckpoint(`${folder}/5.hooke`);
    await assertRejects(() => again.run(batch, 1), RangeError, `${path} has `);
    assert((await Deno.stat(path)).size <= size >> 1);
  }));

Deno.test("a run folder whose trajectory is shorter, or another run's, refuses to go on", () =>
  withFolder(async (folder) => {
    const run = async (steps: number, path: string, dt = 1) => {
      const sink = await openSink(path);
      try {
        await using runs = await openRunFolder(`${folder}/run-${dt}`, {
          report: false,
          commit: "none",
          checkpoints: { every: 10 },
          trajectory: { sink, frequency: 5 },
        });
        await using md = engine([], dt);
        runs.attach(md);
        const batch = (await resume(runs, md))?.batch ?? crystals(1);
        await md.run(batch, steps);
        await sink.flush();
        return [...(await sink.read()).get("step")];
      } finally {
        await sink.close();
      }
    };
    const [path, other] = [`${folder}/a.jsonl`, `${folder}/b.jsonl`];
    assertEquals(await run(20, path), [0, 5, 10, 15]);
    await run(40, other, 2);
    await assertRejects(() => run(5, other), RangeError, "another run");
    await inSink(path, (sink) => sink.truncate(1));
    await assertRejects(() => run(5, path), RangeError, "holds 1 systems, and held 4");
    // Without a checkpoint it begins anew: its own frames are there already, those of others are not overwritten.
    await Deno.remove(`${folder}/run-1/checkpoints`, { recursive: true });
    assertEquals(await run(12, path), [0, 5, 10]);
    await Deno.remove(`${folder}/run-1/checkpoints`, { recursive: true });
    await assertRejects(() => run(5, other), RangeError, "frames of another run");
  }));
