// Folders and files that are removed while a run writes to them.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { openRunFolder } from "../../src/config/runs/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { CheckpointHook, SnapshotHook } from "../../src/observe/mod.ts";
import { ExtxyzSink, openSink } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";

const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 5 });

function argon(): Batch {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 1 })]);
  initVelocities(batch, 40, { seed: 1 });
  return batch;
}

/** Calls `act` at a step, in the middle of a run. */
function at(step: number, act: () => unknown): object {
  return {
    name: "act",
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    writes: ["velocities"],
    call: async ({ stepCount }: { readonly stepCount: number }) => {
      if (stepCount === step) await act();
    },
  };
}

/** Removes a folder, even while a checkpoint is being written to it. */
async function remove(folder: string): Promise<void> {
  for (;;) {
    try {
      return await Deno.remove(folder, { recursive: true });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) throw error;
    }
  }
}

function engine(hooks: readonly object[], warnings: string[]): NVE {
  const onWarning = ({ error }: { readonly error: unknown }) =>
    void warnings.push((error as Error).message);
  return new NVE({ model, dt: 1, hooks: hooks as never, onWarning });
}

/** Asserts that a run ends because its folder was removed. */
async function assertEnds(run: Promise<unknown>, folder: string): Promise<void> {
  const error = await assertRejects(() => run, Error);
  assertStringIncludes(error.message, folder);
  assertStringIncludes(error.message, "was removed during the run");
  assertEquals((error as { code?: unknown }).code, "ESTALE");
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

async function assertNothingAt(path: string): Promise<void> {
  await assertRejects(() => Deno.lstat(path), Deno.errors.NotFound);
}

Deno.test("a run ends with an error if the folder of its checkpoints is removed, and does not create it again", () =>
  withFolder(async (parent) => {
    const folder = `${parent}/run`, warnings: string[] = [];
    const hooks = [
      new CheckpointHook({ folder, everySteps: 10 }),
      at(25, () => remove(folder)),
    ];
    await using md = engine(hooks, warnings);
    await assertEnds(md.run(argon(), 100), folder);
    assertEquals(md.outcome?.status, "failed");
    assert(md.stepCount < 60, `${md.stepCount} steps`);
    await assertNothingAt(folder);
  }));

Deno.test("a run ends with an error if another folder replaces the one with its checkpoints", () =>
  withFolder(async (parent) => {
    const folder = `${parent}/run`;
    const replace = async () => {
      while (!await isThere(`${folder}/step-000000020.hooke`)) {
        await new Promise((on) => setTimeout(on, 1));
      }
      await Deno.rename(folder, `${parent}/moved`);
      await Deno.mkdir(folder);
    };
    const hooks = [new CheckpointHook({ folder, everySteps: 10 }), at(25, replace)];
    await using md = engine(hooks, []);
    await assertEnds(md.run(argon(), 100), folder);
    assertEquals([...Deno.readDirSync(folder)], []);
  }));

for (const ending of ["xyz", "jsonl", "csv", "db", "zarr"]) {
  Deno.test(`a run ends with an error if the .${ending} of its trajectory is removed`, () =>
    withFolder(async (parent) => {
      const folder = `${parent}/run`, path = `${folder}/t.${ending}`;
      const sink = await openSink(path);
      const act = async () => {
        await sink.flush();
        await remove(folder);
      };
      await using md = engine([new SnapshotHook({ sink, frequency: 2 }), at(5, act)], []);
      await assertEnds(md.run(argon(), 20), path);
      if (ending === "zarr") await assertRejects(async () => await sink.close(), Error, path);
      else await sink.close(); // an error there would hide that of the run
      await assertNothingAt(path);
    }));
}

Deno.test("a run ends with an error if its run folder is removed, and does not create it again", () =>
  withFolder(async (parent) => {
    const path = `${parent}/run`;
    const sink = new ExtxyzSink(`${path}/t.xyz`);
    const folder = await openRunFolder(path, {
      config: { temperature: 40 },
      checkpoints: { every: 10, keep: 2 },
      trajectory: { sink, frequency: 5 },
    });
    await using md = engine([at(25, () => remove(path))], []);
    folder.attach(md);
    await assertEnds(md.run(argon(), 100), path);
    await folder.close();
    await assertNothingAt(path);
    const again = await openRunFolder(path, { config: { temperature: 40 } });
    await again.close();
  }));

Deno.test("a run without checkpoints ends with an error if its run folder is removed", () =>
  withFolder(async (parent) => {
    const path = `${parent}/run`;
    const folder = await openRunFolder(path, { checkpoints: false, scalars: { frequency: 7 } });
    await using md = engine([at(25, () => remove(path))], []);
    folder.attach(md);
    await assertEnds(md.run(argon(), 50), path);
    await folder.close();
    await assertNothingAt(path);
  }));
