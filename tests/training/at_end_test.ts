import { assertEquals } from "@std/assert";
import { hook } from "../../src/hook.ts";
import { smallTrainer } from "./small_trainer.ts";

Deno.test("what fires at the end of a run is of the last epoch and the last batch", async () => {
  const seen: string[] = [];
  const times = { frequency: 100, after: 1, atEnd: true } as const;
  await using trainer = smallTrainer([
    hook({
      name: "epochs",
      ...times,
      on: { training: { EPOCH_END: ({ epoch }) => void seen.push(`epoch ${epoch} ends`) } },
    }),
    hook({
      name: "batches",
      ...times,
      on: {
        training: {
          BATCH_END: ({ epoch, batchIdx, stepCount }) =>
            void seen.push(`epoch ${epoch}, batch ${batchIdx}, step ${stepCount}`),
        },
      },
    }),
    { name: "end", onTrainEnd: ({ epoch }: { epoch: number }) => void seen.push(`${epoch} done`) },
  ], { epochs: 3 });
  await trainer.train();
  assertEquals(seen.toSorted(), ["3 done", "epoch 2 ends", "epoch 2, batch 1, step 6"]);
  assertEquals(seen.at(-1), "3 done");

  // In mid-epoch it is the one under way.
  seen.length = 0;
  trainer.addHook({
    name: "stop",
    onStepEnd: (ctx) => ctx.stepCount === 9 ? ctx.stop("enough") : undefined,
  });
  await trainer.train(10);
  assertEquals(seen.filter((line) => line.includes("batch")), ["epoch 4, batch 0, step 9"]);
});
