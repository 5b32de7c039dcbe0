/** Reports, saved states and refusals between steps, and after a failed step. */
import { assertEquals, assertRejects } from "@std/assert";
import { hook } from "../../src/hook.ts";
import { withFolder } from "../checkpoint/folder.ts";
import {
  adam,
  plateau,
  type TrainerParts,
  type TrainingBase,
  TrainingStage,
  warmup,
} from "../../src/training/mod.ts";
import { parametersOf, smallData, smallTrainer } from "./small_trainer.ts";

Deno.test("a step that failed leaves nothing behind in the means of its epoch, nor in what was seen", async () => {
  const losses: number[] = [], ends: number[] = [];
  let isBroken = true;
  await using trainer = smallTrainer([], { epochs: 1 });
  trainer.addHook({
    name: "breaks",
    onError: "throw",
    onStepEnd: ({ stepCount }) => {
      if (stepCount === 2 && isBroken) throw new Error("on purpose");
    },
  });
  trainer.addHook({
    onBatchEnd: ({ loss }) => void losses.push(loss),
    onEpochEnd: ({ metrics }) => void ends.push(metrics["train/loss"]!),
  });
  await assertRejects(() => trainer.train(), Error, "on purpose");
  isBroken = false;
  await trainer.train();
  const [first, , again] = losses;
  assertEquals(ends.at(-1), (first! * 4 + again! * 4) / 8);
  assertEquals(trainer.state.samplesSeen, 8);
});

Deno.test("nothing is saved while an epoch ends: its last step is not counted yet", async () => {
  await using trainer = smallTrainer([], { validation: smallData(5) });
  const refused: string[] = [];
  trainer.addHook({
    onValidationEnd: () =>
      trainer.save().then(() => {}, ({ message }) => void refused.push(message)),
    onEpochEnd: () => trainer.save().then(() => {}, ({ message }) => void refused.push(message)),
  });
  await trainer.train(1);
  assertEquals(refused.length, 2);
  assertEquals(refused[0]!.includes("Use checkpointSoon(), which saves after the step"), true);
  await trainer.save(); // when all is over it is
});

Deno.test("what is saved is of one moment, though training goes on meanwhile", async () => {
  await using trainer = smallTrainer([], { epochs: 3 });
  let saving: ReturnType<typeof trainer.save> | undefined, at: Record<string, Float32Array> = {};
  trainer.addHook({
    onEpochBegin: async ({ epoch }) => {
      if (epoch !== 1) return;
      at = await parametersOf(trainer);
      saving = trainer.save();
    },
  });
  await trainer.train();
  const { arrays, loop, progress } = (await saving)!;
  assertEquals([loop.stepCount, progress.epoch, progress.batchIdx], [2, 1, 0]);
  assertEquals(arrays.parameters, Float32Array.of(...at.first!, ...at.second!));
});

Deno.test("a validation and a run do not go on at once: the second is refused", async () => {
  await using trainer = smallTrainer([], { validation: smallData(5), epochs: 1 });
  const validating = trainer.validate();
  await assertRejects(() => trainer.train(), Error, "is running. Await its run first");
  await assertRejects(() => trainer.close(), Error, "is running. Await its run first");
  await validating;
  const training = trainer.train();
  await assertRejects(() => trainer.validate(), Error, "is running. Await its run first");
  await training;
});

Deno.test("stepCount is the number of steps done, the same at every stage, in the state and in saved state", async () => {
  await withFolder(async (folder) => {
    await using trainer = smallTrainer([], {
      validation: smallData(5),
      optimizers: adam({ lr: 0.01 }),
    });
    const seen = new Map<string, unknown[]>();
    const see = (ctx: TrainingBase, stage: string) => {
      const name = stage.slice("training/".length);
      seen.set(name, [...seen.get(name) ?? [], ctx.stepCount]);
      assertEquals([stage, ctx.state.step, trainer.stepCount], [
        stage,
        ctx.stepCount,
        ctx.stepCount,
      ]);
    };
    const stages = Object.keys(TrainingStage.roles).filter((name) =>
      TrainingStage.roles[name as "STEP_END"] === "observe"
    );
    trainer.hooks.add(hook({
      name: "all",
      on: { training: Object.fromEntries(stages.map((name) => [name, see])) as never },
    }));
    trainer.addHook({ onEpochEnd: ({ trainer }) => trainer.checkpointSoon(`${folder}/x.hooke`) });
    await trainer.train(2);
    const before = [0, 1, 2, 3], done = [1, 2, 3, 4];
    for (const name of ["BATCH_BEGIN", "AFTER_LOSS", "AFTER_OPTIMIZER_STEP"]) {
      assertEquals([name, seen.get(name)], [name, before]);
    }
    for (const name of ["STEP_END", "BATCH_END"]) {
      assertEquals([name, seen.get(name)], [name, done]);
    }
    for (const name of ["EVAL_END", "VALIDATION_END", "EPOCH_END", "CHECKPOINT_SAVE"]) {
      assertEquals([name, seen.get(name)], [name, [2, 4]]);
    }
    assertEquals([seen.get("TRAIN_BEGIN"), seen.get("TRAIN_END")], [[0], [4]]);
    assertEquals((await trainer.save()).loop.stepCount, 4);
  });
});

Deno.test("TRAIN_BEGIN, CHECKPOINT_SAVE and TRAIN_END tell how many steps are done", async () => {
  await withFolder(async (folder) => {
    await using trainer = smallTrainer();
    const told: string[] = [];
    trainer.addHook({
      onTrainBegin: ({ stepCount }) => void told.push(`begin ${stepCount}`),
      onEpochEnd: ({ stepCount, trainer }) => {
        told.push(`epoch ${stepCount}`);
        trainer.checkpointSoon(`${folder}/${stepCount}.hooke`);
      },
      onCheckpointSave: ({ stepCount }) => void told.push(`save ${stepCount}`),
      onTrainEnd: ({ stepCount }) => void told.push(`end ${stepCount}`),
    });
    await trainer.train(2);
    await trainer.step({
      x: { data: new Float32Array(3), dims: [1, 3] },
      wanted: { data: new Float32Array(1), dims: [1, 1] },
    });
    await trainer.train(3);
    assertEquals(told, [
      "begin 0",
      "epoch 2",
      "save 2",
      "epoch 4",
      "save 4",
      "end 4",
      "begin 5",
      "epoch 7",
      "save 7",
      "end 7",
    ]);
  });
});

Deno.test("a schedule that follows a metric receives each new value, whenever validations run", async () => {
  const told = async (monitor: string | undefined, more: Partial<TrainerParts>) => {
    const values: (string | undefined)[] = [];
    const schedule = {
      ...(monitor !== undefined && { monitor }),
      factor: () => 1,
      observe: (metrics: Readonly<Record<string, number>>) =>
        void values.push(
          monitor === undefined ? Object.keys(metrics).join() : `${metrics[monitor]}`,
        ),
    };
    const measured: string[] = [];
    await using trainer = smallTrainer([], { schedule, epochs: 4, ...more });
    trainer.addHook({
      onValidationEnd: ({ metrics }) => void measured.push(`${metrics["val/loss"]}`),
      onEpochEnd: ({ metrics }) =>
        monitor === "train/loss" ? void measured.push(`${metrics["train/loss"]}`) : undefined,
    });
    await trainer.train();
    return { values, measured };
  };
  const validation = smallData(5);
  const second = await told("val/loss", { validation, validateEvery: { epochs: 2 } });
  assertEquals([second.values.length, second.values], [2, second.measured]);
  const steps = await told("val/loss", { validation, validateEvery: { epochs: 0, steps: 3 } });
  assertEquals([steps.values.length, steps.values], [2, steps.measured]);
  const train = await told("train/loss", { validation });
  assertEquals(train.values, train.measured.filter((_, i) => i % 2 === 1));
  assertEquals(train.values.length, 4);
  // One without a monitor is notified once per epoch.
  const all = await told(undefined, { validation, validateEvery: { epochs: 2 }, epochs: 2 });
  assertEquals(all.values, ["train/loss", "train/loss,val/loss"]);
});

Deno.test("a plateau works with validations now and then, behind a warm-up, and in training alone", async () => {
  for (const monitor of ["val/loss", "train/loss"]) {
    const slow = plateau({ monitor, patience: 0, threshold: 10, thresholdMode: "absolute" });
    await using trainer = smallTrainer([], {
      validation: smallData(5),
      validateEvery: { epochs: 2 },
      epochs: 4,
      schedule: warmup({ steps: 1, then: slow }),
    });
    await trainer.train();
    assertEquals(slow.factor(0) < 1, true, monitor);
  }
});

Deno.test("a plateau that waits for validations in vain says so, and so does one with a wrong name", async () => {
  const trained = async (monitor: string, more: Partial<TrainerParts> = {}) => {
    await using trainer = smallTrainer([], { schedule: plateau({ monitor }), ...more });
    await trainer.train();
  };
  await assertRejects(() => trained("val/loss"), RangeError, "there was no validation");
  await assertRejects(
    () => trained("train/los"),
    TypeError,
    'the metric "train/los" must be a number',
  );
  const validation = smallData(5);
  await assertRejects(() => trained("val/los", { validation }), TypeError, '"val/los"');
});

Deno.test("what TRAIN_END asks for is written, of all steps", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/end.hooke`;
    await using trainer = smallTrainer();
    trainer.addHook({ name: "keeps", onTrainEnd: (ctx) => ctx.trainer.checkpointSoon(path) });
    await trainer.train();
    await using again = smallTrainer([{ name: "keeps", onTrainEnd() {} }]);
    await again.loadCheckpoint(path);
    assertEquals(again.stepCount, 4);
    assertEquals(await parametersOf(again), await parametersOf(trainer));
  });
});

Deno.test("other numbers of a parameter than there are are refused, and not kept", async () => {
  await using trainer = smallTrainer();
  await assertRejects(
    () => trainer.parameter("first", "gradient" as never),
    RangeError,
    "did you mean gradients?",
  );
  assertEquals(Object.keys((await trainer.save()).arrays), ["parameters"]);
});
