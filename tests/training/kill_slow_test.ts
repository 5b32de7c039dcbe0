import { assert, assertEquals } from "@std/assert";
import { namesIn, withFolder } from "../checkpoint/folder.ts";
import { endlessTrainer } from "./endless_trainer.ts";
import { parametersOf } from "./networks.ts";

const KILLS = 12;

Deno.test(`training that is killed ${KILLS} times while it writes checkpoints goes on every time, to the bit`, async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/run.hooke`;
    const saved = endlessTrainer();
    await saved.saveCheckpoint(path);
    await saved.close();
    let last = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      await killInMidRun(path, kill);
      last = await assertWhole(path, last);
      for (const name of namesIn(folder)) {
        if (name !== "run.hooke") await Deno.remove(`${folder}/${name}`);
      }
    }
  });
});

/** Throws unless the file has a later step, and its parameters are those of a run that nobody stopped. */
async function assertWhole(path: string, last: number): Promise<number> {
  const killed = endlessTrainer(), whole = endlessTrainer();
  killed.hooks.add({ onStepEnd: () => {} }, { name: "saves" });
  await killed.loadCheckpoint(path);
  const { stepCount } = killed;
  assert(stepCount > last, `step ${stepCount} after step ${last}`);
  whole.addHook({ onStepEnd: (ctx) => ctx.stepCount === stepCount - 1 && ctx.stop("there") });
  await whole.train();
  assertEquals(whole.stepCount, stepCount);
  assertEquals(await parametersOf(killed), await parametersOf(whole));
  assertEquals(await killed.parameter("w1", "ema"), await whole.parameter("w1", "ema"));
  await killed.close();
  await whole.close();
  return stepCount;
}

/** Lets a process train a while, then kills it. */
async function killInMidRun(path: string, salt: number): Promise<void> {
  const script = new URL("endless_trainer.ts", import.meta.url);
  const before = await stampOf(path);
  const run = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script.href, path],
    stdout: "null",
    stderr: "null",
  }).spawn();
  let isOver = false;
  run.status.then(() => isOver = true);
  while (!isOver && await stampOf(path) === before) await pause(1); // until it has written once
  await pause((salt * 0.618 % 1) * 20);
  assert(!isOver, "the process ended by itself");
  run.kill("SIGKILL");
  assertEquals((await run.status).signal, "SIGKILL");
}

/** What changes with every write. */
async function stampOf(path: string): Promise<string> {
  const { ino, mtime } = await Deno.stat(path);
  return `${ino} ${mtime?.getTime()}`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
