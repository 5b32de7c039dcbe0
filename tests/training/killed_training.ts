/** Training that is killed again and again, and goes on each time. */
import { assert, assertEquals } from "@std/assert";
import { namesIn, withFolder } from "../checkpoint/folder.ts";
import { killInMidRun } from "../checkpoint/killed.ts";
import { endlessTrainer } from "./endless_trainer.ts";
import { parametersOf } from "./networks.ts";

const SCRIPT = new URL("endless_trainer.ts", import.meta.url);

/** Throws unless training that is killed several times while it writes checkpoints resumes bitwise identically. */
export async function killTraining(kills: number): Promise<void> {
  await withFolder(async (folder) => {
    const path = `${folder}/run.hooke`;
    const saved = endlessTrainer();
    await saved.saveCheckpoint(path);
    await saved.close();
    let last = 0;
    for (let kill = 1; kill <= kills; kill++) {
      await killInMidRun(SCRIPT, path, kill);
      last = await assertWhole(path, last);
      for (const name of namesIn(folder)) {
        if (name !== "run.hooke") await Deno.remove(`${folder}/${name}`);
      }
    }
  });
}

/** Throws unless the file has a later step, and its parameters are those of an uninterrupted run. */
async function assertWhole(path: string, last: number): Promise<number> {
  const killed = endlessTrainer(), whole = endlessTrainer();
  killed.hooks.add({ onStepEnd: () => {} }, { name: "saves" });
  await killed.loadCheckpoint(path);
  const { stepCount } = killed;
  assert(stepCount > last, `step ${stepCount} after step ${last}`);
  whole.addHook({ onStepEnd: (ctx) => ctx.stepCount === stepCount && ctx.stop("there") });
  await whole.train();
  assertEquals(whole.stepCount, stepCount);
  assertEquals(await parametersOf(killed), await parametersOf(whole));
  assertEquals(await killed.parameter("w1", "ema"), await whole.parameter("w1", "ema"));
  await killed.close();
  await whole.close();
  return stepCount;
}
