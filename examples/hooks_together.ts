/**
 * Combines hooks of one trainer: one measures a value that another uses, one is disabled at first, one samples the
 * batches, and one fails without harm.
 *
 * Run: `deno run -P=onnx examples/hooks_together.ts`
 */
import {
  GraphBuilder,
  hook,
  meanSquaredError,
  normalNumbers,
  sgd,
  slot,
  tensorData,
  Trainer,
} from "@hooke/hooke";

/** A typed slot in `ctx.shared`, through which hooks exchange values without knowing each other. */
const importantMetric = slot<number>("importantMetric");

const producer = hook({
  name: "producer",
  reads: ["parameters:w"],
  on: {
    training: {
      EPOCH_END: ({ shared, read }) =>
        shared.set(importantMetric, read["parameters:w"].get("w")![0]!),
    },
  },
});
const consumer = hook({
  name: "consumer",
  on: {
    training: {
      EPOCH_END: ({ epoch, shared }) =>
        console.log(`epoch ${epoch}: received metric ${shared.get(importantMetric)?.toFixed(3)}`),
    },
  },
});

/** Not called until two epochs are done. Before that it costs nothing. */
const late = hook({
  name: "late",
  enableAfterEpoch: 2,
  once: true,
  on: {
    training: {
      BATCH_END: ({ epoch, batchIdx }) => console.log(`late: epoch ${epoch}, batch ${batchIdx}`),
    },
  },
});

/** An expensive measurement of a tenth of the batches: the same ones for the same seed. */
let analyzed = 0;
const sampled = hook({
  name: "sampled",
  sample: 0.1,
  sampleSeed: 1,
  on: { training: { BATCH_END: () => void analyzed++ } },
});

/** It throws every time: with this policy training goes on, and each error is a warning. */
const fragile = hook({
  name: "fragile",
  onError: "warn",
  frequency: 100,
  on: {
    training: {
      BATCH_END() {
        throw new Error("the disk is full");
      },
    },
  },
});

const builder = new GraphBuilder("line"); // y = w x
const x = builder.input("x", "f32", ["B", 1]);
const w = builder.parameter("w", [0], [1, 1]);
builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
const numbers = normalNumbers(800, { seed: 1 });

await using trainer = new Trainer({
  model: builder.build(),
  loss: meanSquaredError(),
  data: tensorData({
    x: { data: numbers, dims: [800, 1] },
    target: { data: numbers.map((x) => 2 * x), dims: [800, 1] },
  }, { batchSize: 8 }),
  optimizers: sgd({ lr: 0.005 }),
  hooks: [producer, consumer, late, sampled, fragile],
  onWarning: ({ hook, stage, error }) =>
    console.log(`${hook} at ${stage}: ${(error as Error).message}`),
  epochs: 3,
});
await trainer.train();
console.log(`${analyzed} of 300 batches analyzed`);
const { errors } = trainer.hooks.list().find(({ name }) => name === "fragile")!;
console.log(`fragile has failed ${errors} times; training ${trainer.state.status}`);
