// Damaged checkpoints: a run reports the one it resumes from, and never begins anew beside checkpoints that cannot be
// read.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { checkpointsIn } from "../../src/checkpoint/mod.ts";
import { openRunFolder, parseRunLog, resume } from "../../src/config/runs/mod.ts";
import { langevin } from "../../src/dynamics/mod.ts";
import { CheckpointHook } from "../../src/observe/mod.ts";
import { ARGON, crystals } from "../dynamics/atoms.ts";
import { engine } from "../observe/modified.ts";
import { parametersOf, smallTrainer } from "../training/small_trainer.ts";

async function inFolder(test: (path: string) => Promise<void>): Promise<void> {
  const parent = await Deno.makeTempDir();
  try {
    await test(`${parent}/run`);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

function bath(warnings: string[], hooks: readonly object[] = []) {
  return engine(langevin({ dt: 2, temperature: 50, friction: 0.02, seed: 3 }), {
    model: ARGON,
    device: "wasm",
    hooks,
    onWarning: ({ hook, error }: { hook: string; error: Error }) =>
      warnings.push(`${hook}: ${error.message}`),
  });
}

/** Runs in a run folder from its checkpoint up to a step; returns the step at which it began. */
async function goOn(path: string, until: number, warnings: string[] = []): Promise<number> {
  await using folder = await openRunFolder(path, { checkpoints: { every: 10 } });
  await using md = bath(warnings);
  folder.attach(md);
  const found = await resume(folder, md);
  await md.run(found?.batch ?? crystals(1), until - md.stepCount);
  return found?.step ?? 0;
}

async function damage(folder: string, count: number): Promise<string[]> {
  const paths = (await checkpointsIn(folder)).slice(0, count).map(({ path }) => path);
  for (const path of paths) await Deno.truncate(path, 900);
  return paths;
}

Deno.test("a run folder whose checkpoints are all damaged is refused with their names, and again without resume", () =>
  inFolder(async (path) => {
    await goOn(path, 20);
    const checkpoints = `${path}/checkpoints`, [newest, older] = await damage(checkpoints, 2);
    const error = await assertRejects(() => goOn(path, 40), Error);
    assert(
      error.message.startsWith(
        `All 2 checkpoints in ${checkpoints} are unreadable: `,
      ),
      error.message,
    );
    for (const part of [newest!, older!, "To begin a new run, remove them"]) {
      assert(error.message.includes(part), error.message);
    }
    await using folder = await openRunFolder(path);
    await using md = bath([]);
    folder.attach(md);
    await assertRejects(() => md.run(crystals(1), 5), Error, "up to step 20");
    assertEquals((await checkpointsIn(checkpoints)).length, 2);
  }));

Deno.test("a damaged newest checkpoint is in the warnings, the run log and the report", () =>
  inFolder(async (path) => {
    await goOn(path, 20);
    const [newest] = await damage(`${path}/checkpoints`, 1), warnings: string[] = [];
    assertEquals(await goOn(path, 30, warnings), 10);
    const words = `The run continues from ${path}/checkpoints/step-000000010.hooke instead`;
    assertEquals(warnings.length, 1, warnings.join("\n"));
    for (const part of ["(checkpoint): ", newest!, "the file is truncated", words]) {
      assert(warnings[0]!.includes(part), warnings[0]);
    }
    const end = parseRunLog(await Deno.readTextFile(`${path}/runs.jsonl`)).at(-1)!;
    const listed = (end as { outcome?: { warnings?: readonly string[] } }).outcome?.warnings;
    assertEquals(listed?.map((text) => `(checkpoint): ${text}`), warnings);
    assertMatch(await Deno.readTextFile(`${path}/report.html`), /The run continues from/);
  }));

Deno.test("loadLatest throws if no checkpoint can be read, and a new run beside them is refused", () =>
  inFolder(async (folder) => {
    const warnings: string[] = [];
    const make = () =>
      bath(warnings, [new CheckpointHook({ folder, everySteps: 10, keepLast: 2 })]);
    await using md = make();
    await md.run(crystals(1), 20);
    await damage(folder, 2);
    await using again = make();
    await assertRejects(
      () => again.loadLatest(folder),
      Error,
      `All 2 checkpoints in ${folder} are unreadable`,
    );
    await assertRejects(() => again.run(crystals(1), 10), Error, "up to step 20");
    assertEquals([(await checkpointsIn(folder)).length, warnings], [2, []]);
    await damage(folder, 2);
    await Deno.remove((await checkpointsIn(folder))[0]!.path);
    await assertRejects(() => again.loadLatest(folder), Error, "The only checkpoint in");
  }));

Deno.test("a trainer in a run folder warns of a damaged checkpoint, too", () =>
  inFolder(async (path) => {
    const train = async (epochs: number, warnings: string[]) => {
      await using folder = await openRunFolder(path, { checkpoints: { every: 2 } });
      await using trainer = smallTrainer([], {
        epochs,
        onWarning: ({ error }: { error: unknown }) => void warnings.push(String(error)),
      });
      folder.attach(trainer);
      await resume(folder, trainer);
      await trainer.train();
      return await parametersOf(trainer);
    };
    await train(3, []);
    await damage(`${path}/checkpoints`, 1);
    const warnings: string[] = [];
    await train(6, warnings);
    assertEquals(
      warnings.filter((text) => text.includes("The run continues from")).length,
      1,
      `${warnings}`,
    );
  }));
