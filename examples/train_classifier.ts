/**
 * Trains a small classifier of two spirals: the network is written operator by operator, validated after each epoch,
 * and written as an .onnx file that any runtime reads.
 *
 * Run: `deno run -P=onnx-files examples/train_classifier.ts [OUT.onnx]`
 */
import {
  accuracy,
  adamW,
  ConsoleLog,
  cosine,
  crossEntropy,
  GraphBuilder,
  normalNumbers,
  tensorData,
  Trainer,
} from "@hooke/hooke";
import { dataOf, openSession, type Value } from "@hooke/hooke/onnx";

const path = Deno.args[0] ?? `${Deno.makeTempDirSync()}/spirals.onnx`;

/** Points on two interleaved spiral arms, and the arm of each. */
function spirals(count: number, seed: number) {
  const noise = normalNumbers(2 * count, { seed, stdev: 0.03 });
  const label = BigInt64Array.from({ length: count }, (_, i) => BigInt(i % 2));
  const x = noise.map((e, k) => {
    const i = Math.floor(k / 2), t = 0.15 + 0.85 * i / count;
    const angle = 2.2 * Math.PI * t + (i % 2) * Math.PI;
    return t * (k % 2 === 0 ? Math.cos(angle) : Math.sin(angle)) + e;
  });
  return { x: { data: x, dims: [count, 2] }, label: { data: label, dims: [count] } };
}

/** Two hidden layers. Inputs are fed by name, and parameters have names, too. */
function network(): Uint8Array {
  const builder = new GraphBuilder("spirals");
  let seed = 1;
  const layer = (name: string, value: Value<"f32">, [from, to]: readonly [number, number]) => {
    const weights = normalNumbers(from * to, { seed: seed++, stdev: Math.sqrt(2 / from) });
    const w = builder.parameter(`${name}.weight`, weights, [from, to]);
    const b = builder.parameter(`${name}.bias`, new Float32Array(to), [to]);
    return builder.op("Gemm", [value, w, b], "f32");
  };
  const relu = (value: Value<"f32">) => builder.op("Relu", [value], "f32");
  const x = builder.input("x", "f32", ["B", 2]);
  const hidden = relu(layer("fc2", relu(layer("fc1", x, [2, 32])), [32, 32]));
  builder.output("logits", layer("fc3", hidden, [32, 2]), ["B", 2]);
  return builder.build();
}

await using trainer = new Trainer({
  model: network(),
  loss: crossEntropy({ target: "label" }),
  metrics: { accuracy: accuracy({ target: "label" }) },
  data: tensorData(spirals(400, 1), { batchSize: 40, seed: 1 }),
  validation: tensorData(spirals(200, 2), { batchSize: 200 }),
  optimizers: adamW({ lr: 0.01, groups: [{ parameters: "*.bias", weightDecay: 0 }] }),
  schedule: cosine({ steps: 100 }),
  hooks: [new ConsoleLog({ logEveryNBatches: 100 })],
  epochs: 10,
});
await trainer.train();
await trainer.exportTo(path);

// The result is a model like any other: using it needs no trainer.
await using session = await openSession(path);
const center = { data: Float32Array.of(0.9, 0, -0.9, 0), dims: [2, 2] };
const logits = dataOf(await session.run({ x: center }), "logits", "float32");
console.log(`${trainer.state.modelParams} parameters in ${path}`);
console.log(
  `of (0.9, 0) and (-0.9, 0): arms ${[0, 2].map((i) => logits[i]! > logits[i + 1]! ? 0 : 1)}`,
);
