/** Statements of document 003, on hooks of a trainer, that no other test shows. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Checkpoint } from "../../src/observe/checkpoints/checkpoint.ts";
import { JsonLog } from "../../src/observe/mod.ts";
import { scriptedTrainer } from "../../src/testing/mod.ts";
import { smallTrainer } from "./small_trainer.ts";

Deno.test("document 003: begin and end of the run, epochs within it, batches within these", async () => {
  const order: string[] = [];
  await using trainer = smallTrainer();
  trainer.hooks.add({
    name: "order",
    onTrainBegin: ({ state }) => void order.push(`train begin, ${state.status}`),
    onEpochBegin: ({ epoch, state }) => void order.push(`epoch ${epoch} ${state.currentEpoch}`),
    onBatchEnd: ({ batchIdx, loss, state }) =>
      void order.push(`batch ${batchIdx} ${state.currentBatchIdx} ${loss === state.latestLoss}`),
    onEpochEnd: ({ epoch }) => void order.push(`epoch ${epoch} end`),
    onTrainEnd: ({ state }) => void order.push(`train end, ${state.status}`),
  });
  await trainer.train();
  const batches = ["batch 0 0 true", "batch 1 1 true"];
  assertEquals(order, [
    "train begin, training",
    "epoch 0 0",
    ...batches,
    "epoch 0 end",
    "epoch 1 1",
    ...batches,
    "epoch 1 end",
    "train end, completed",
  ]);
});

Deno.test("document 003: the state is live; avg_loss is the mean so far, and status says how it went", async () => {
  await using trainer = smallTrainer();
  const { state } = trainer, losses: number[] = [];
  assertEquals([state.status, state.modelParams], ["idle", 16]);
  trainer.hooks.add({
    onBatchEnd({ loss, state }) {
      losses.push(loss);
      const mean = losses.reduce((sum, loss) => sum + loss) / losses.length;
      assert(Math.abs(state.avgLoss - mean) < 1e-9, `${state.avgLoss} of ${losses}`);
    },
  }, { onError: "throw" });
  await trainer.train(1);
  assertEquals([state.status, state.currentEpoch, losses.length], ["completed", 1, 2]);

  await using failing = smallTrainer();
  failing.hooks.add({
    onBatchEnd() {
      throw new Error("no");
    },
  }, { onError: "throw" });
  await assertRejects(() => failing.train(), Error, "no");
  assertEquals(failing.state.status, "error");
});

Deno.test("document 003: a log of JSON has every hundredth batch, and a checkpoint comes after every epoch, unless they say otherwise", async () => {
  const dir = await Deno.makeTempDir();
  const trainer = scriptedTrainer({
    epochs: [{ losses: new Array<number>(101).fill(1) }, {
      losses: new Array<number>(101).fill(1),
    }],
    lr: 1,
    hooks: [new JsonLog({ outputDir: dir })],
  });
  await trainer.train();
  const [file] = [...Deno.readDirSync(`${dir}/logs`)];
  const rows = Deno.readTextFileSync(`${dir}/logs/${file!.name}`).trimEnd().split("\n")
    .map((line) => JSON.parse(line));
  const batches = rows.filter(({ event }) => event === "batch");
  assertEquals(batches.map(({ epoch, batch }) => [epoch, batch]), [[1, 0], [1, 100], [2, 99]]);

  await using small = smallTrainer([new Checkpoint({ outputDir: dir })], { epochs: 3 });
  await small.train();
  const kept = [...Deno.readDirSync(dir)].filter(({ isFile }) => isFile).map(({ name }) => name);
  const epochs = [1, 2, 3].map((epoch) => `checkpoint_epoch_${epoch}.hooke`);
  assertEquals(kept.toSorted(), ["best_model.hooke", ...epochs]);
});
