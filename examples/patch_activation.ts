/**
 * Measures which parts of a network matter: a tensor within it is replaced during validation, by zeros, by its mean,
 * or by itself with noise, and the loss shows the contribution of that part. The model's file does not change: a
 * patch is a setting of a hook while it is enabled.
 *
 * Run: `deno run -P=onnx examples/patch_activation.ts`
 */
import {
  adam,
  GraphBuilder,
  hook,
  meanSquaredError,
  normalNumbers,
  tensorData,
  Trainer,
} from "@hooke/hooke";
import type { ActivationPatch } from "@hooke/hooke/training";

const POINTS = ["first", "second", "third"] as const;
const COUNT = 256;

/** Three small networks side by side, each of which sees all of x; y is the sum of their outputs. */
function network(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("sum");
  const x = g.input("x", "f32", ["B", 3]);
  const parts = POINTS.map((point, i) => {
    const [w, v] = [
      g.parameter(`${point}.w`, normalNumbers(8, { seed: 2 * i }), [1, 8]),
      g.parameter(`${point}.v`, normalNumbers(8, { seed: 2 * i + 1, stdev: 0.3 }), [8, 1]),
    ];
    const own = g.gather(x, g.constant("i64", [i]), 1); // its column
    const hidden = g.op("Tanh", [g.op("MatMul", [own, w], "f32")], "f32");
    return g.named(g.op("MatMul", [hidden, v], "f32"), point);
  });
  g.output("y", g.add(g.add(parts[0]!, parts[1]!), parts[2]!), ["B", 1]);
  return g.build();
}

/** y = sin 2a + b/2: nothing depends on c. */
function made(seed: number) {
  const x = normalNumbers(3 * COUNT, { seed });
  const target = Float32Array.from({ length: COUNT }, (_, i) => {
    return Math.sin(2 * x[3 * i]!) + x[3 * i + 1]! / 2;
  });
  return { x: { data: x, dims: [COUNT, 3] }, target: { data: target, dims: [COUNT, 1] } };
}

await using trainer = new Trainer({
  model: network(),
  loss: meanSquaredError(),
  data: tensorData(made(10), { batchSize: 32, seed: 1 }),
  validation: tensorData(made(11), { batchSize: COUNT }),
  optimizers: adam({ lr: 0.02 }),
  epochs: 60,
});
await trainer.train();

/** The validation loss with patches; without the hook it is the original one. */
async function lossWith(...patches: ActivationPatch[]): Promise<number> {
  using _handle = trainer.addHook({ name: "patch", settings: { patches } });
  return (await trainer.validate())["val/loss"]!;
}

/** Mean of a tensor over the validation data. */
const means = new Map<string, number>();
{
  const look = hook({
    name: "look",
    reads: ["statistics:*"],
    on: {
      training: {
        VALIDATION_BATCH_END({ read }) {
          for (const [name, { mean }] of read["statistics:*"]) means.set(name, mean);
        },
      },
    },
  });
  using _handle = trainer.addHook(look);
  console.log(`as it is    ${(await trainer.validate())["val/loss"]!.toFixed(4)}`);
}

console.log("            zero    mean    noise");
for (const point of POINTS) {
  const mean = new Float32Array(COUNT).fill(means.get(point)!);
  const noise = normalNumbers(COUNT, { seed: 12, stdev: 0.1 });
  const losses = [
    await lossWith({ point, kind: "zero" }),
    await lossWith({ point, kind: "replace", by: { data: mean, dims: [COUNT, 1] } }),
    await lossWith({ point, kind: "add", by: { data: noise, dims: [COUNT, 1] } }),
  ];
  console.log(point.padEnd(10), losses.map((loss) => loss.toFixed(4).padStart(7)).join(" "));
}
console.log(`as it was   ${(await trainer.validate())["val/loss"]!.toFixed(4)}`);
