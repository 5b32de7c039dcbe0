/**
 * A small network and its data, for tests of what stands round the training.
 *
 * @module
 */

import {
  meanSquaredError,
  type NamedNumbers,
  sgd,
  tensorData,
  Trainer,
  type TrainerParts,
  type TrainingHooks,
} from "../../src/training/mod.ts";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import { madeNumbers } from "./made_numbers.ts";

/** Two layers: `hidden` = tanh(x · first), `y` = hidden · second. */
export function smallNetwork(): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("small");
  const x = builder.input("x", "f32", ["B", 3]);
  const first = builder.parameter("first", madeNumbers(1, 12, 1), [3, 4]);
  const second = builder.parameter("second", madeNumbers(2, 4, 1), [4, 1]);
  const hidden = builder.op("Tanh", [builder.op("MatMul", [x, first], "f32")], "f32");
  builder.output("hidden", hidden, ["B", 4]);
  builder.output("y", builder.op("MatMul", [hidden, second], "f32"), ["B", 1]);
  return builder.build();
}

/** Eight samples in batches of four. */
export function smallData(seed = 1): ReturnType<typeof tensorData> {
  return tensorData({
    x: { data: madeNumbers(seed + 10, 24, 1), dims: [8, 3] },
    wanted: { data: madeNumbers(seed + 20, 8, 1), dims: [8, 1] },
  }, { batchSize: 4, seed: 1 });
}

/** A trainer of it: two steps an epoch, gradient descent, what is said instead. */
export function smallTrainer(
  hooks: readonly unknown[] = [],
  more: Partial<TrainerParts> = {},
): Trainer {
  return new Trainer({
    model: smallNetwork(),
    loss: meanSquaredError({ output: "y", target: "wanted" }),
    data: smallData(),
    optimizers: sgd({ lr: 0.1 }),
    epochs: 2,
    ...more,
    hooks: hooks as TrainingHooks as [],
  });
}

/** All parameters, as they are now. */
export async function parametersOf(trainer: Trainer): Promise<Record<string, Float32Array>> {
  const names = trainer.parameters.map(({ name }) => name);
  const all = await Promise.all(names.map((name) => trainer.parameter(name)));
  return Object.fromEntries(names.map((name, i) => [name, all[i]!]));
}

/** Results of a run: its losses, batch by batch, and the parameters at its end. */
export async function trained(
  hooks: readonly unknown[] = [],
  more: Partial<TrainerParts> = {},
): Promise<{ losses: number[]; parameters: Record<string, Float32Array> }> {
  await using trainer = smallTrainer(hooks, more);
  const losses: number[] = [];
  trainer.hooks.add({ onBatchEnd: ({ loss }) => void losses.push(loss) }, { order: "last" });
  await trainer.train();
  return { losses, parameters: await parametersOf(trainer) };
}

/** Gradients, each number of which was changed. */
export function changed(
  gradients: NamedNumbers,
  change: (gradient: number) => number,
): NamedNumbers {
  return new Map([...gradients].map(([name, numbers]) => [name, numbers.map(change)]));
}
