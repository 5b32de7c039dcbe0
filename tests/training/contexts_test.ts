/** The fields that hooks find in their contexts, stage by stage. */
import { assertEquals, assertRejects } from "@std/assert";
import { withFolder } from "../checkpoint/folder.ts";
import { testOnGpu } from "../backend/gpu.ts";
import { AT_EVERY_STAGE, TRAINING_CONTEXT } from "../docs/training_context.ts";
import { hook } from "../../src/hook.ts";
import type { TrainerParts } from "../../src/training/mod.ts";
import { TrainingStage } from "../../src/training/mod.ts";
import { smallData, smallTrainer } from "./small_trainer.ts";
import { slow, test } from "../suite.ts";

const BASE = ["stepCount", "globalRank", "shared", "workflow", "stop", "read", "write"];
const AT = TRAINING_CONTEXT as Readonly<Record<string, object>>;
const ALL = new Set(Object.values(AT).flatMap((fields) => Object.keys(fields)));

/** The answer of a handler of a stage that lets training go on. */
const ANSWERS: Readonly<Record<string, (ctx: { value: unknown }) => unknown>> = {
  ACTIVATIONS: ({ value }) => value,
  LOSS: ({ value }) => value,
  GRADIENTS: ({ value }) => value,
  MAY_UPDATE: () => true,
};

/** Runs a training that fails and then one that does not. Returns the fields of each stage, each time. */
async function fieldsSeen(
  reads: readonly string[],
  more: Partial<TrainerParts> = {},
): Promise<Map<string, Set<string>>> {
  const seen = new Map<string, Set<string>>();
  const see = (ctx: object, stage: string) => {
    const name = stage.slice("training/".length);
    const found = [...ALL].filter((field) => field in ctx).sort().join(" ");
    seen.set(name, (seen.get(name) ?? new Set()).add(found));
    for (const field of [...BASE, ...Object.keys(AT_EVERY_STAGE)]) {
      assertEquals([stage, field, field in ctx], [stage, field, true]);
    }
    return ANSWERS[name]?.(ctx as { value: unknown });
  };
  const names = Object.keys(AT);
  await using trainer = smallTrainer([], { validation: smallData(5), clip: { norm: 1 }, ...more });
  let isBroken = true;
  trainer.hooks.add(hook({
    name: "sees",
    reads: reads as [],
    settings: { points: ["hidden"] },
    on: { training: Object.fromEntries(names.map((name) => [name, see])) as never },
  }));
  trainer.addHook({
    onError: "throw",
    name: "breaks",
    onBatchEnd: () => {
      if (!isBroken) return;
      isBroken = false;
      throw new Error("on purpose");
    },
  });
  await assertRejects(() => trainer.train(), Error, "on purpose");
  await withFolder(async (folder) => {
    trainer.addHook({
      onEpochBegin: ({ epoch, trainer }) => {
        if (epoch === 1) trainer.checkpointSoon(`${folder}/x.hooke`);
      },
    });
    await trainer.train();
    await trainer.loadCheckpoint(`${folder}/x.hooke`);
    await trainer.train();
  });
  return seen;
}

function assertExact(seen: ReadonlyMap<string, ReadonlySet<string>>): void {
  const expected = Object.entries(AT).map(([name, fields]) => [
    name,
    [Object.keys(fields).sort().join(" ")],
  ]);
  assertEquals(
    [...seen].map(([name, found]) => [name, [...found]]).toSorted(),
    expected.toSorted(),
  );
}

test("a stage's context has exactly the fields of that stage, after other stages and after a run that failed", async () => {
  assertExact(await fieldsSeen([]));
});

test("… of a hook that declares reads, too", async () => {
  assertExact(await fieldsSeen(["gradients", "loss"]));
});

slow(testOnGpu)("… of a hook that is called later, too", async () => {
  assertExact(await fieldsSeen([], { device: "webgpu" }));
});

test("a context is one object per stage, and its fields can be listed", async () => {
  const contexts = new Map<string, Set<object>>();
  let listed: string[] = [];
  await using trainer = smallTrainer();
  trainer.hooks.add(hook({
    name: "keeps",
    on: {
      training: {
        "*": (ctx, stage) => {
          contexts.set(stage, (contexts.get(stage) ?? new Set<object>()).add(ctx));
          if (stage === TrainingStage.BATCH_END) listed = Object.keys({ ...ctx });
        },
      },
    },
  }));
  await trainer.train();
  assertEquals(new Set([...contexts.values()].map(({ size }) => size)), new Set([1]));
  assertEquals(listed.includes("loss") && listed.includes("outcome"), true);
});
