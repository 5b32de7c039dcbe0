/** Statements of document 001, a hook guide, that no other test shows. */
import { assert, assertEquals } from "@std/assert";
import { hook, LrMonitor, ModelCheckpoint } from "../../mod.ts";
import { scriptedTrainer } from "../../src/testing/mod.ts";
import { interleave } from "../../src/training/mod.ts";
import { smallData, smallTrainer } from "./small_trainer.ts";

Deno.test("document 001: each method is called when the document says, as often, with what it hands over", async () => {
  const calls: string[] = [], path = `${await Deno.makeTempDir()}/small.hooke`;
  const say = (name: string, ...rest: unknown[]) => void calls.push([name, ...rest].join(" "));
  await using trainer = smallTrainer([], {
    data: interleave({ main: smallData(1), aux: smallData(3) }),
    validation: { held: smallData(5) },
    clip: { norm: 1 },
    epochs: 1,
    accumulate: 2,
  });
  trainer.hooks.add({
    onTrainStart: () => say("train start"),
    onEpochStart: ({ epoch }) => say("epoch start", epoch),
    onTrainBatchStart: ({ batch, batchIdx, loaderIdx, loaderName }) =>
      say("batch start", batch.size, batchIdx, loaderIdx, loaderName),
    onBeforeBackward: ({ loss }) => say("before backward", loss > 0),
    onAfterBackward: ({ gradients }) => say("after backward", gradients.size),
    onGradientClip: ({ gradNorm }) => say("clip", gradNorm > 0),
    onBeforeOptimizerStep: ({ optimizerIdx }) => say("before step", optimizerIdx),
    onAfterOptimizerStep: ({ optimizerIdx }) => say("after step", optimizerIdx),
    onTrainBatchEnd: ({ batchIdx, loaderName, loss, metrics }) =>
      say("batch end", batchIdx, loaderName, metrics.loss === loss),
    onValidationStart: ({ epoch, trainer }) => {
      say("validation start", epoch);
      trainer.checkpointSoon(path);
    },
    onValidationBatchStart: ({ batchIdx, loaderName }) => say("held start", batchIdx, loaderName),
    onValidationBatchEnd: ({ batchIdx, metrics }) => say("held end", batchIdx, metrics.loss! > 0),
    onValidationEnd: ({ epoch, metrics }) => say("validation end", epoch, Object.keys(metrics)),
    onEpochEnd: ({ epoch, metrics }) => say("epoch end", epoch, Object.keys(metrics)),
    onCheckpointSave: ({ path: at }) => say("saved", at === path),
    onTrainEnd: ({ outcome }) => say("train end", outcome.status),
  });
  await trainer.train();
  const batch = (i: number, loader: number, name: string, update: string[] = []) => [
    `batch start 4 ${i} ${loader} ${name}`,
    "before backward true",
    "after backward 2",
    ...update,
    `batch end ${i} ${name} true`,
  ];
  const update = ["clip true", "before step 0", "after step 0"];
  assertEquals(calls, [
    "train start",
    "epoch start 0",
    ...batch(0, 0, "main"),
    ...batch(1, 0, "main", update),
    ...batch(2, 1, "aux"),
    ...batch(3, 1, "aux", update),
    "validation start 0",
    "held start 0 held",
    "held end 0 true",
    "held start 1 held",
    "held end 1 true",
    "validation end 0 val/loss",
    "epoch end 0 train/loss,val/loss",
    "saved true",
    "train end completed",
  ]);
});

Deno.test("document 001: a loaded checkpoint is reported once it is complete", async () => {
  const path = `${await Deno.makeTempDir()}/small.hooke`;
  await using one = smallTrainer();
  await one.train(1);
  await one.saveCheckpoint(path);
  await using other = smallTrainer();
  const seen: unknown[] = [];
  other.hooks.add({
    onCheckpointLoad: ({ path, trainer, stepCount }) =>
      void seen.push(path, trainer.state.currentEpoch, stepCount),
  });
  await other.loadCheckpoint(path);
  assertEquals(seen, [path, 1, 2]);
});

Deno.test("document 001: hooks keep what they have seen, from batch to batch and epoch to epoch", async () => {
  class StatefulHook {
    readonly epochLosses: number[] = [];
    isPlateau = false;
    #losses: number[] = [];

    onTrainBatchEnd({ loss }: { readonly loss: number }): void {
      this.#losses.push(loss);
    }

    onEpochEnd(): void {
      this.epochLosses.push(this.#losses.reduce((a, b) => a + b) / this.#losses.length);
      this.#losses = [];
      const recent = this.epochLosses.slice(-5);
      this.isPlateau = this.epochLosses.length > 5 &&
        Math.max(...recent) - Math.min(...recent) < 0.001;
    }
  }
  const state = new StatefulHook(), epochs: number[] = [];
  await using trainer = smallTrainer([state], { epochs: 300 });
  trainer.hooks.add({
    onEpochEnd(ctx) {
      if (state.isPlateau) ctx.stop("plateau");
      epochs.push(ctx.metrics["train/loss"]!);
    },
  });
  assertEquals((await trainer.train()).status, "stopped");
  assert(epochs.length > 6 && epochs.length < 300, `${epochs.length}`);
  for (const [i, loss] of epochs.entries()) assert(Math.abs(loss - state.epochLosses[i]!) < 1e-6);
});

Deno.test("document 001: a hook is inactive until a number of epochs is done, at stages of any counter", async () => {
  const seen: string[] = [];
  await using trainer = smallTrainer([{
    name: "late",
    enableAfterEpoch: 2,
    frequency: 1,
    onTrainBatchEnd: ({ epoch, batchIdx }: { epoch: number; batchIdx: number }) =>
      void seen.push(`${epoch}.${batchIdx}`),
    onEpochEnd: ({ epoch }: { epoch: number }) => void seen.push(`epoch ${epoch}`),
  }], { epochs: 4 });
  await trainer.train();
  assertEquals(seen, ["2.0", "2.1", "epoch 2", "3.0", "3.1", "epoch 3"]);
});

Deno.test("document 001: hooks talk to each other, and find what others have left", async () => {
  await using trainer = smallTrainer();
  const { slot } = await import("../../mod.ts");
  const metric = slot<number>("metric"), received: unknown[] = [];
  trainer.hooks.add({ onEpochEnd: ({ epoch, shared }) => shared.set(metric, 0.95 + epoch) });
  trainer.hooks.add({ onEpochEnd: ({ shared }) => void received.push(shared.get(metric)) });
  await trainer.train();
  assertEquals(received, [0.95, 1.95]);
});

Deno.test("document 001: mode max keeps the checkpoints with the most of a metric", async () => {
  const dir = await Deno.makeTempDir(), known: number[] = [];
  const best = new ModelCheckpoint({
    dir,
    monitor: "val/loss",
    mode: "max",
    saveTopK: 1,
    saveLast: false,
    filename: "{val/loss:.6f}",
  });
  await using trainer = smallTrainer([best], { validation: smallData(5), epochs: 4 });
  trainer.hooks.add({ onValidationEnd: ({ metrics }) => void known.push(metrics["val/loss"]!) });
  await trainer.train();
  const names = [...Deno.readDirSync(dir)].map(({ name }) => name);
  assertEquals(names, [`${Math.max(...known).toFixed(6)}.hooke`]);
  assert(new Set(known).size > 1);
});

Deno.test("document 001: learning rates that a hook halves are those of the next steps", async () => {
  const rates: number[] = [];
  const halve = hook({
    name: "halve",
    writes: ["optimizers"],
    on: {
      training: {
        EPOCH_END(ctx) {
          for (const { groups } of ctx.write.optimizers) {
            for (const group of groups) group.lr *= 0.5;
          }
        },
      },
    },
  });
  await using trainer = smallTrainer([halve], { epochs: 3 });
  trainer.hooks.add({ onStepEnd: ({ lr }) => void rates.push(lr) });
  await trainer.train();
  assertEquals(rates, [0.1, 0.1, 0.05, 0.05, 0.025, 0.025]);
});

Deno.test("document 001: built-in hooks see what hooks of users have changed at the same stage", async () => {
  const logged: Readonly<Record<string, number>>[] = [];
  const trainer = scriptedTrainer({ epochs: [{ losses: [1] }], lr: 1 });
  trainer.hooks.add(new LrMonitor({ write: ({ values }) => logged.push(values) }));
  trainer.hooks.add({
    writes: ["optimizers"],
    onEpochEnd: ({ write }) => void (write.optimizers[0]!.groups[0]!.lr = 0.25),
  });
  await trainer.train();
  assertEquals(logged.map((values) => Object.values(values)), [[0.25]]);
});
