/**
 * A small model with its data, loss and optimizer, for code blocks of docs/coming_from.md, whose originals assume
 * such names.
 *
 * @module
 */
import {
  adam,
  getTrainer,
  GraphBuilder,
  meanSquaredError,
  normalNumbers,
  tensorData,
} from "@hooke/hooke";
import type { Loss, Optimizer, Trainer, TrainingData } from "@hooke/hooke/training";

const g = new GraphBuilder("plane"); // y = tanh(x · encoder) · decoder
const hidden = g.op("Tanh", [
  g.op("MatMul", [
    g.input("x", "f32", ["B", 2]),
    g.parameter("encoder", normalNumbers(6, { seed: 1 }), [2, 3]),
  ], "f32"),
], "f32");
const decoder = g.parameter("decoder", normalNumbers(3, { seed: 2 }), [3, 1]);
g.output("y", g.op("MatMul", [hidden, decoder], "f32"), ["B", 1]);

/** The graph. */
export const model: Uint8Array<ArrayBuffer> = g.build();

const points = normalNumbers(2 * 320, { seed: 3 });
const target = Float32Array.from({ length: 320 }, (_, i) => points[2 * i]! - points[2 * i + 1]!);

/** Twenty batches of 16 points of a plane. */
export const dataloader: TrainingData = tensorData({
  x: { data: points, dims: [320, 2] },
  target: { data: target, dims: [320, 1] },
}, { batchSize: 16 });

/** The loss to minimize. */
export const loss: Loss = meanSquaredError();

/** The optimizer. */
export const optimizer: Optimizer = adam({ lr: 0.05 });

/** A folder for what hooks write. */
export const outputDir: string = Deno.makeTempDirSync();

/** Base folder of the paths of modules with hooks. */
export const base: string = new URL("../", import.meta.url).href;

/** Options of a trainer of these parts. */
export const parts: {
  readonly model: Uint8Array<ArrayBuffer>;
  readonly loss: Loss;
  readonly data: TrainingData;
  readonly validation: TrainingData;
  readonly optimizers: Optimizer;
} = {
  model,
  loss,
  data: dataloader,
  validation: dataloader,
  optimizers: optimizer,
};

/** Returns a new trainer of these parts, which logs into `outputDir`. */
export function makeTrainer(): Trainer {
  const trainer = getTrainer("simple", parts);
  trainer.addJsonLogging({ outputDir });
  return trainer;
}

/** A custom hook. */
export class MyHook1 {
  /** Called after each epoch. */
  onEpochEnd(): void {}
}

/** Another custom hook. */
export class MyHook2 extends MyHook1 {}
