/**
 * Shows the attention map of a network: the network learns to reverse sequences, and a hook reads its attention map
 * in validation, where it is computed. The model needs no change, because a tensor is read by its name.
 *
 * Run: `deno run -P=onnx examples/attention_map.ts`
 */
import {
  accuracy,
  adam,
  crossEntropy,
  GraphBuilder,
  hook,
  normalNumbers,
  tensorData,
  Trainer,
} from "@hooke/hooke";
import { points, showPoints } from "@hooke/hooke/onnx";

const LENGTH = 8, LETTERS = 6, WIDTH = 16;

/** Sequences of letters, one-hot, and the same sequences reversed. */
function sequences(count: number, seed: number) {
  const noise = normalNumbers(count * LENGTH, { seed, stdev: 1000 });
  const letters = Array.from(noise, (e) => Math.floor(Math.abs(e)) % LETTERS);
  const x = new Float32Array(count * LENGTH * LETTERS);
  for (const [i, letter] of letters.entries()) x[i * LETTERS + letter] = 1;
  const turned = letters.map((_, i) => BigInt(letters[i - 2 * (i % LENGTH) + LENGTH - 1]!));
  return {
    x: { data: x, dims: [count, LENGTH, LETTERS] },
    target: { data: BigInt64Array.from(turned), dims: [count, LENGTH] },
  };
}

/** One head: softmax((h Q) (h K)ᵀ / √d) h V, with h the letters and their positions. */
function network(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("turner");
  let seed = 1;
  const parameter = (name: string, from: number, to: number) =>
    g.parameter(name, normalNumbers(from * to, { seed: seed++, stdev: from ** -0.5 }), [from, to]);
  const x = g.input("x", "f32", ["B", LENGTH, LETTERS]);
  const embedded = g.op("MatMul", [x, parameter("letters", LETTERS, WIDTH)], "f32");
  const h = g.add(embedded, parameter("places", LENGTH, WIDTH));
  const [q, k, v] = ["q", "k", "v"].map((name) =>
    g.op("MatMul", [h, parameter(name, WIDTH, WIDTH)], "f32")
  );
  const turned = g.op("Transpose", [k], "f32", { perm: [0, 2, 1] });
  const scores = g.mul(g.op("MatMul", [q, turned], "f32"), WIDTH ** -0.5);
  const attention = g.named(g.op("Softmax", [scores], "f32", { axis: -1 }), "attention");
  const seen = g.op("MatMul", [attention, v], "f32");
  const logits = g.op("MatMul", [seen, parameter("out", WIDTH, LETTERS)], "f32");
  g.output("logits", logits, ["B", LENGTH, LETTERS]);
  return g.build();
}

const model = network();
console.log(showPoints(points(model, "att*")));

let map: readonly number[] = [];
const look = hook({
  name: "look",
  frequency: 1,
  reads: ["activations:attention"],
  on: {
    training: {
      VALIDATION_BATCH_END({ read }) {
        const { data, dims } = read["activations:attention"].get("attention")!;
        const size = LENGTH * LENGTH; // the mean over the sequences of the batch
        map = Array.from({ length: size }, (_, i) => {
          let sum = 0;
          for (let b = 0; b < dims[0]!; b++) sum += data[b * size + i]!;
          return sum / dims[0]!;
        });
      },
    },
  },
});

await using trainer = new Trainer({
  model,
  loss: crossEntropy(),
  metrics: { accuracy: accuracy() },
  data: tensorData(sequences(512, 100), { batchSize: 32, seed: 1 }),
  validation: tensorData(sequences(64, 200), { batchSize: 64 }),
  optimizers: adam({ lr: 0.02 }),
  hooks: [look],
  epochs: 10,
});
for (const epochs of [1, 10]) {
  await trainer.train(epochs);
  console.log(
    `epoch ${epochs}: right ${(100 * trainer.state.metrics["val/accuracy"]!).toFixed(0)} %`,
  );
  for (let i = 0; i < LENGTH; i++) {
    const row = map.slice(i * LENGTH, (i + 1) * LENGTH);
    console.log(`  ${row.map((share) => " ░▒▓█"[Math.round(4 * share)]!.repeat(2)).join("")}|`);
  }
}
