/** Batches that are shared by workers. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { fileURLToPath } from "node:url";
import { hook } from "../../src/hook.ts";
import {
  adam,
  batchesOf,
  crossEntropy,
  type LossLike,
  sgd,
  Trainer,
  type TrainerParts,
  type TrainingBatch,
  type TrainingHooks,
} from "../../src/training/mod.ts";
import { assertWithin } from "../onnx/assert_within.ts";
import { slowTest, test } from "../suite.ts";
import { madeNumbers } from "./made_numbers.ts";
import { parametersOf, parts, samples } from "./networks.ts";
import { lineOf, mlp, mlpBatches } from "./torch_networks.ts";

/** Results of a run, alone and with workers. */
async function assertShared(parts: TrainerParts, workers: number): Promise<void> {
  const [alone, shared] = [new Trainer(parts), new Trainer({ ...parts, workers })];
  const losses: number[][] = [[], []];
  for (const [i, trainer] of [alone, shared].entries()) {
    trainer.addHook({ onBatchEnd: ({ loss }) => void losses[i]!.push(loss) });
    await trainer.train();
  }
  assertWithin("losses", losses[1]!, losses[0]!, 1e-6);
  const [ours, theirs] = [await parametersOf(shared), await parametersOf(alone)];
  for (const name in theirs) assertWithin(name, ours[name]!, theirs[name]!, 1e-6);
  assertEquals(
    Object.keys(shared.state.metrics).sort(),
    Object.keys(alone.state.metrics).sort(),
  );
  for (const [name, value] of Object.entries(alone.state.metrics)) {
    assertWithin(name, [shared.state.metrics[name]!], [value], 1e-6);
  }
  await alone.close();
  await shared.close();
}

const linear = { optimizers: sgd({ lr: 0.1, momentum: 0.5 }), epochs: 2 };

test("two workers come to what one runner does with the whole batch", async () => {
  await assertShared(parts(linear), 2);
});

slowTest(
  "three workers do, of batches that cannot be cut in equal parts, over two batches a step",
  async () => {
    const data = samples(13, { batchSize: 5, seed: 2 });
    await assertShared(parts({ ...linear, data, accumulate: 2 }), 3);
  },
);

slowTest("batches of fewer samples than workers are done by some of them", async () => {
  const data = samples(9, { batchSize: 4, shuffle: false }); // 4, 4 and 1
  await assertShared(parts({ ...linear, data, validation: data, clip: { norm: 0.1 } }), 3);
});

slowTest(
  "labels that do not count are shared unevenly, and the mean is that over those that do",
  async () => {
    const batches = Array.from({ length: 3 }, (_, step): TrainingBatch => {
      const [{ feeds, size }] = mlpBatches(step) as [TrainingBatch];
      const labels = (feeds.target!.data as BigInt64Array).map((label, i) =>
        i < 13 ? -100n : label
      );
      return { size, feeds: { ...feeds, target: { data: labels, dims: [size] } } };
    });
    const source = batchesOf(() => batches, { length: 3 });
    await assertShared({
      model: mlp(lineOf("mlp adam").parameters),
      loss: crossEntropy(),
      data: source,
      optimizers: adam({ lr: 0.01, eps: 1e-3 }),
    }, 2);
  },
);

slowTest("the same run with workers has the same bits every time", async () => {
  const bits = async () => {
    await using trainer = new Trainer(parts({ ...linear, workers: 2 }));
    await trainer.train();
    return await parametersOf(trainer);
  };
  assertEquals(await bits(), await bits());
});

test("a hook's term and patch reach the workers, and go with the hook", async () => {
  const asks = {
    name: "asks",
    settings: { patches: [{ point: "tanh", kind: "scale" as const, by: 0.5 }] },
  };
  const after = async (workers?: number) => {
    const options = parts({ ...linear, ...(workers !== undefined && { workers }) });
    await using trainer = new Trainer({ ...options, hooks: [asks] });
    await trainer.train(1);
    trainer.disableHook("asks");
    await trainer.train(2);
    return await parametersOf(trainer);
  };
  const [ours, theirs] = [await after(2), await after()];
  for (const name in theirs) assertWithin(name, ours[name]!, theirs[name]!, 1e-6);
});

test("batches that their source cannot split are not split", async () => {
  const { split: _, ...whole } = samples(8, { batchSize: 4, seed: 2 });
  // How far samples are from their mean: parts of a batch have other means.
  const spread: LossLike = ({ graph, output }) => {
    const y = output(), axes = graph.constant("i64", [0]);
    const mean = graph.op("ReduceMean", [y, axes], "f32", { keepdims: 1 });
    const off = graph.sub(y, mean);
    return graph.op("ReduceMean", [graph.mul(off, off)], "f32", { keepdims: 0 });
  };
  await assertShared(parts({ ...linear, data: whole, loss: spread, clip: { norm: 0.1 } }), 2);
});

/** A run with a hook, with workers and without. */
async function assertSharedWith(asks: TrainingHooks[number]): Promise<void> {
  const after = async (workers?: number) => {
    const options = parts({ ...linear, ...(workers !== undefined && { workers }) });
    await using trainer = new Trainer({ ...options, hooks: [asks] as never });
    await trainer.train();
    return await parametersOf(trainer);
  };
  const [ours, theirs] = [await after(2), await after()];
  for (const name in theirs) assertWithin(name, ours[name]!, theirs[name]!, 1e-6);
}

slowTest(
  "tensors that hooks put in the place of others are those of the whole batch, with workers too",
  async () => {
    const by = { data: madeNumbers(77, 16, 1), dims: [4, 4] };
    await assertSharedWith({
      name: "patches",
      settings: { patches: [{ point: "tanh", kind: "replace", by }] },
      onTrainBegin: () => {},
    } as never);
    await assertSharedWith(hook({
      name: "pipes",
      settings: { points: ["tanh"] },
      on: {
        training: {
          ACTIVATIONS: ({ value }) =>
            new Map([...value].map(([name, { dims, data }]) => [
              name,
              { dims, data: Float32Array.from(data, (x, i) => i < 5 ? 0 : x) },
            ])),
        },
      },
    }));
  },
);

test("a batch that one worker cannot do fails the step; the next run goes on with new workers", async () => {
  let isBad = true;
  const good = samples(8, { batchSize: 4, seed: 2 });
  const source = batchesOf(async function* (epoch) {
    for await (const batch of good.batches(epoch, 0)) {
      if (!isBad) yield batch;
      else {yield {
          ...batch,
          feeds: { ...batch.feeds, x: { data: new Float32Array(8), dims: [4, 2] } },
        };}
    }
  });
  await using trainer = new Trainer(parts({ ...linear, data: source, workers: 2 }));
  await assertRejects(() => trainer.train());
  assertEquals(trainer.state.status, "error");
  isBad = false;
  assertEquals(await trainer.train(), { status: "completed" });
  const alone = new Trainer(parts({ ...linear, data: source }));
  await alone.train();
  const [ours, theirs] = [await parametersOf(trainer), await parametersOf(alone)];
  for (const name in theirs) assertWithin(name, ours[name]!, theirs[name]!, 1e-6);
});

/** Runs a script that forgets to close, and tells whether its process ends by itself. */
async function ends(script: string): Promise<boolean> {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, script);
    const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
    const run = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", config, file],
      stdout: "null",
      stderr: "null",
    }).spawn();
    const late = setTimeout(() => run.kill("SIGKILL"), 120_000);
    const { signal } = await run.status;
    clearTimeout(late);
    return signal === null;
  } finally {
    await Deno.remove(file);
  }
}

const HERE = new URL("networks.ts", import.meta.url).href;
const TRAINING = new URL("../../src/training/mod.ts", import.meta.url).href;
const BEGIN = `import { Trainer } from "${TRAINING}";
import { parts } from "${HERE}";
const trainer = new Trainer(parts({ workers: 2 }));
`;

slowTest("workers end when the trainer is closed", async () => {
  assert(await ends(`${BEGIN} await trainer.train(); await trainer.close();`));
});

test("workers end when a run fails", async () => {
  assert(
    await ends(`${BEGIN}
      trainer.addHook({ onBatchEnd: () => { throw new Error(); } }, { onError: "throw" });
      await trainer.train().catch(() => {});`),
  );
});
