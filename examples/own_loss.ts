/**
 * Changes the loss in the middle of a run to one written in TypeScript: least trimmed squares, which leaves the worst
 * fifth of each batch out. A hook at COMPUTE_LOSS replaces the trainer's loss: it returns the loss and its gradient
 * by each output, and the trainer propagates it back. A stage with the role "replace" has only one such hook.
 *
 * Run: `deno run -P=onnx examples/own_loss.ts`
 */
import {
  GraphBuilder,
  hook,
  meanSquaredError,
  normalNumbers,
  sgd,
  tensorData,
  Trainer,
} from "@hooke/hooke";

const COUNT = 200;

/** y = 2 x + 1, except for every eighth point, which is wrong. */
function measured() {
  const x = normalNumbers(COUNT, { seed: 1 }),
    noise = normalNumbers(COUNT, { seed: 2, stdev: 0.1 });
  const target = x.map((x, i) => i % 8 === 0 ? 10 - 5 * x : 2 * x + 1 + noise[i]!);
  return { x: { data: x, dims: [COUNT, 1] }, target: { data: target, dims: [COUNT, 1] } };
}

const line = new GraphBuilder("line");
const x = line.input("x", "f32", ["B", 1]);
const product = line.op("MatMul", [x, line.parameter("slope", [0], [1, 1])], "f32");
line.output("y", line.add(product, line.parameter("offset", [0], [1])), ["B", 1]);

const trimmed = hook({
  name: "trimmed",
  enableAfterEpoch: 10, // until then the trainer's own loss
  on: {
    training: {
      COMPUTE_LOSS({ outputs, batch }) {
        const given = outputs.get("y")!.data, wanted = batch.feeds["target"]!.data as Float32Array;
        const errors = Float32Array.from(wanted, (target, i) => given[i]! - target);
        const kept = Array.from(errors.keys())
          .sort((i, j) => Math.abs(errors[i]!) - Math.abs(errors[j]!))
          .slice(0, Math.ceil(0.8 * errors.length));
        const slopes = new Float32Array(errors.length);
        let loss = 0;
        for (const i of kept) {
          loss += errors[i]! ** 2 / kept.length;
          slopes[i] = 2 * errors[i]! / kept.length;
        }
        return { loss, slopes: new Map([["y", slopes]]) };
      },
    },
  },
});

await using trainer = new Trainer({
  model: line.build(),
  loss: meanSquaredError(),
  data: tensorData(measured(), { batchSize: 40, seed: 1 }),
  optimizers: sgd({ lr: 0.1 }),
  hooks: [trimmed],
});
for (const epochs of [10, 20]) {
  await trainer.train(epochs);
  const [slope, offset] = [await trainer.parameter("slope"), await trainer.parameter("offset")];
  const loss = trainer.state.metrics["train/loss"]!;
  const formula = `${slope[0]!.toFixed(2)} x + ${offset[0]!.toFixed(2)}`;
  console.log(`after ${epochs} epochs: y = ${formula}, loss ${loss.toFixed(3)}`);
}
