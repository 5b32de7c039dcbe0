import { assertAlmostEquals } from "@std/assert";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import { accuracy, crossEntropy, sgd, tensorData, Trainer } from "../../src/training/mod.ts";

/** Scores are what is fed, [B, T, C]: times 1. */
function model(): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("scores");
  const x = builder.input("x", "f32", ["B", 2, 3]);
  builder.output("y", builder.mul(x, builder.parameter("one", [1], [1])), ["B", 2, 3]);
  return builder.build();
}

Deno.test("labels of sequences have the axes of the scores but for the last", async () => {
  const scores = [2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 1, 1];
  const data = tensorData({
    x: { data: Float32Array.from(scores), dims: [2, 2, 3] },
    target: { data: BigInt64Array.of(0n, 0n, 2n, -100n), dims: [2, 2] },
  }, { batchSize: 2, shuffle: false });
  await using trainer = new Trainer({
    model: model(),
    loss: crossEntropy(),
    metrics: { accuracy: accuracy() },
    data,
    validation: data,
    optimizers: sgd({ lr: 0 }),
  });
  const metrics = await trainer.validate();
  const e = Math.E; // −log p of each; the last does not count
  const [a, b, c] = [e ** 2 / (e ** 2 + 2), 1 / (e + 2), e ** 3 / (e ** 3 + 2)];
  assertAlmostEquals(metrics["val/loss"]!, -Math.log(a * b * c) / 3, 1e-6);
  assertAlmostEquals(metrics["val/accuracy"]!, 2 / 3, 1e-6);
  await trainer.train();
  assertAlmostEquals(trainer.state.metrics["train/loss"]!, -Math.log(a * b * c) / 3, 1e-6);
});
