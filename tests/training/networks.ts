/**
 * Small networks and data for the tests of the trainer, made of seeds.
 *
 * @module
 */

import { GraphBuilder } from "../../src/onnx/graph/graph_builder.ts";
import {
  adam,
  type BatchingOptions,
  type DataSource,
  meanSquaredError,
  tensorData,
  type Trainer,
  type TrainerParts,
} from "../../src/training/mod.ts";
import { madeNumbers } from "./made_numbers.ts";

/** y = W₂ tanh(W₁ x + b₁) + b₂, from 3 to 4 to 2. Of the values within, "tanh" is what the hidden layer gives. */
export function network(): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("network");
  const x = builder.input("x", "f32", ["B", 3]);
  const [w1, b1, w2, b2] = [
    builder.parameter("w1", madeNumbers(1, 12, 0.5), [3, 4]),
    builder.parameter("b1", madeNumbers(2, 4, 0.5), [4]),
    builder.parameter("w2", madeNumbers(3, 8, 0.5), [4, 2]),
    builder.parameter("b2", madeNumbers(4, 2, 0.5), [2]),
  ];
  const hidden = builder.op("Tanh", [builder.add(builder.op("MatMul", [x, w1], "f32"), b1)], "f32");
  builder.output("y", builder.add(builder.op("MatMul", [hidden, w2], "f32"), b2), ["B", 2]);
  return builder.build();
}

/** A number of samples of x, with targets of y. */
export function samples(
  count: number,
  options: BatchingOptions,
  seed: number = 10,
): DataSource {
  return tensorData({
    x: { data: madeNumbers(seed, 3 * count, 1), dims: [count, 3] },
    wanted: { data: madeNumbers(seed + 1, 2 * count, 1), dims: [count, 2] },
  }, options);
}

/** Options of a trainer of that network: batches of four samples, in an order of their own. */
export function parts(more: Partial<TrainerParts> = {}): TrainerParts {
  return {
    model: network(),
    loss: meanSquaredError({ target: "wanted" }),
    data: samples(12, { batchSize: 4, seed: 5 }),
    optimizers: adam({ lr: 0.01 }),
    ...more,
  };
}

/** All parameters of a trainer, by name. */
export async function parametersOf(
  trainer: Pick<Trainer, "parameters" | "parameter">,
): Promise<Record<string, number[]>> {
  const found: Record<string, number[]> = {};
  for (const { name } of trainer.parameters) found[name] = [...await trainer.parameter(name)];
  return found;
}
