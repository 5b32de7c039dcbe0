// A checkpoint knows the length and the run of each sink: a file that is shorter, or another run's, is refused.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { openRunFolder, resume } from "../../src/config/runs/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { CheckpointHook, LoggingHook, SnapshotHook } from "../../src/observe/mod.ts";
import { openSink, type StoredSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { ARGON, crystals } from "../dynamics/atoms.ts";

const ENDINGS = ["xyz", "jsonl", "db", "zarr"];

function engine(hooks: readonly object[], dt = 1): NVE {
  return new NVE({ model: ARGON, dt, device: "reference", hooks: hooks as [] });
}

/** Writes frames of 20 steps, with checkpoints after 10 and after 20 steps. */
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

/** Resumes a run; returns the steps of its frames. */
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
  Deno.test(`a .${ending} with fewer frames than in the checkpoint is refused, and stays unchanged`, () =>
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

  Deno.test(`a .${ending} that another run wrote is refused, and stays unchanged`, () =>
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

Deno.test("a checkpoint that is written before a resumed run has written anything still identifies the run", () =>
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

Deno.test("a log with fewer rows than in the checkpoint is refused", () =>
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

Deno.test("a run folder whose trajectory is shorter, or another run's, is refused", () =>
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
    // Without a checkpoint it is a new run: its own frames exist already, and those of others are not overwritten.
    await Deno.remove(`${folder}/run-1/checkpoints`, { recursive: true });
    assertEquals(await run(12, path), [0, 5, 10]);
    await Deno.remove(`${folder}/run-1/checkpoints`, { recursive: true });
    await assertRejects(() => run(5, other), RangeError, "frames of another run");
  }));

/** A run with two trajectories, a log and a folder of checkpoints. */
async function withThree(
  folder: string,
  work: (md: NVE) => Promise<void>,
  order: "first" | "last" = "first",
): Promise<void> {
  const sinks = await Promise.all(
    ["a.jsonl", "b.xyz"].map((name) => openSink(`${folder}/${name}`)),
  );
  try {
    await using md = engine([
      ...sinks.map((sink) => new SnapshotHook({ sink, frequency: 5 })),
      new CheckpointHook({ folder: `${folder}/checkpoints`, everySteps: 10, keepLast: 9 }),
    ]);
    const log = new LoggingHook({ backend: "csv", logPath: `${folder}/log.csv`, frequency: 1 });
    md.hooks.add(log, { order });
    await work(md);
  } finally {
    for (const sink of sinks) await sink.close();
  }
}

/** Runs to step 20, and 5 steps more from the checkpoint of step 20, as if it was killed then. */
async function threeFiles(folder: string): Promise<void> {
  await withThree(folder, async (md) => void await md.run(crystals(1), 20));
  await withThree(folder, async (md) => {
    await md.run((await md.loadLatest(`${folder}/checkpoints`))!, 5);
  });
  await Deno.remove(`${folder}/checkpoints/step-000000025.hooke`);
}

const sizesIn = (folder: string) =>
  ["a.jsonl", "b.xyz", "log.csv"].map((name) => Deno.statSync(`${folder}/${name}`).size);

const SHORT = [["b.xyz", 3, "first"], ["b.xyz", 3, "last"], ["log.csv", 12, "last"]] as const;

for (const [short, cut, order] of SHORT) {
  Deno.test(`a run that is refused because of ${short}, with the log opened ${order}, leaves its other files unchanged, and names the checkpoint that fits`, () =>
    withFolder(async (folder) => {
      await threeFiles(folder);
      if (short === "b.xyz") await inSink(`${folder}/b.xyz`, (sink) => sink.truncate(cut));
      else {
        const lines = (await Deno.readTextFile(`${folder}/log.csv`)).split("\n");
        await Deno.writeTextFile(`${folder}/log.csv`, lines.slice(0, cut).join("\n") + "\n");
      }
      const sizes = sizesIn(folder), fits = `${folder}/checkpoints/step-000000010.hooke`;
      await withThree(folder, async (md) => {
        const batch = (await md.loadLatest(`${folder}/checkpoints`))!;
        const error = await assertRejects(() => md.run(batch, 5), RangeError, "Cannot resume");
        assertStringIncludes(
          error.message,
          `that of step 10: to resume from it, call loadCheckpoint(${JSON.stringify(fits)})`,
        );
      }, order);
      assertEquals(sizesIn(folder), sizes);
      await withThree(folder, async (md) => void await md.run(await md.loadCheckpoint(fits), 10));
      const steps = await inSink(
        `${folder}/b.xyz`,
        async (sink) => [...(await sink.read()).get("step")],
      );
      assertEquals(steps, [0, 5, 10, 15]);
    }));
}

Deno.test("if no older checkpoint fits the files, the error of a refused run says so", () =>
  withFolder(async (folder) => {
    await threeFiles(folder);
    await Deno.remove(`${folder}/checkpoints/step-000000000.hooke`);
    await Deno.remove(`${folder}/b.xyz`);
    await withThree(folder, async (md) => {
      const batch = (await md.loadLatest(`${folder}/checkpoints`))!;
      await assertRejects(
        () => md.run(batch, 5),
        RangeError,
        `No older checkpoint in ${folder}/checkpoints fits all files of this run`,
      );
    });
  }));
