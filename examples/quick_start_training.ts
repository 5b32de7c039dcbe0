/**
 * Creates a trainer by its kind, with common hooks in one line each, a custom hook, and hooks that are enabled and
 * disabled by name.
 *
 * Run: `deno run -P=onnx-files examples/quick_start_training.ts [FOLDER]`
 */
import {
  adam,
  type BatchEndContext,
  getTrainer,
  GraphBuilder,
  meanSquaredError,
  normalNumbers,
  tensorData,
} from "@hooke/hooke";

const outputDir = Deno.args[0] ?? Deno.makeTempDirSync();

const builder = new GraphBuilder("plane"); // y = x w
const x = builder.input("x", "f32", ["B", 2]);
const w = builder.parameter("w", [0, 0], [2, 1]);
builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);

const points = normalNumbers(2 * 320, { seed: 1 });
const target = Float32Array.from(
  { length: 320 },
  (_, i) => 3 * points[2 * i]! - points[2 * i + 1]!,
);
const dataloader = tensorData({
  x: { data: points, dims: [320, 2] },
  target: { data: target, dims: [320, 1] },
}, { batchSize: 16 });

await using trainer = getTrainer("simple", builder.build(), dataloader, adam({ lr: 0.05 }), {
  loss: meanSquaredError(),
  epochs: 4,
});

// Ready-made hooks.
trainer.addConsoleLogging({ logEveryNBatches: 10 });
trainer.addJsonLogging({ outputDir, logEveryNBatches: 20 });
trainer.addCheckpointing({ outputDir, saveEveryNEpochs: 2 });

// A custom hook: every method takes one argument.
class CustomHook {
  readonly name = "my_custom_hook";
  readonly losses: number[] = [];

  onBatchEnd({ batchIdx, loss }: BatchEndContext): void {
    this.losses.push(loss);
    if (batchIdx % 10 !== 9) return;
    const mean = this.losses.reduce((sum, loss) => sum + loss) / this.losses.length;
    console.log(`Average loss: ${mean.toFixed(4)}`);
  }
}
trainer.addHook(new CustomHook());

await trainer.train(2);
list();

// Hooks are enabled and disabled by name, during training or in between.
trainer.removeHook("console_log");
trainer.disableHook("json_log");
list();
await trainer.train(3);
trainer.enableHook("json_log");
await trainer.train(4);

const { status, currentEpoch, latestLoss, avgLoss, modelParams, device } = trainer.state;
console.log({ status, currentEpoch, modelParams, device });
console.log(`latest loss ${latestLoss.toFixed(4)}, average ${avgLoss.toFixed(4)}`);
console.log([...Deno.readDirSync(outputDir)].map(({ name }) => name).sort().join(", "));

function list(): void {
  const hooks = trainer.hooks.list().map(({ name, enabled }) =>
    `${name} ${enabled ? "on" : "off"}`
  );
  console.log(`hooks: ${hooks.join(", ")}`);
}
