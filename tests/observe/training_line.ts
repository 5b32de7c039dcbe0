// A trainer of y = w x that is small enough to be followed by hand.
import { GraphBuilder } from "../../src/onnx/mod.ts";
import {
  meanSquaredError,
  sgd,
  tensorData,
  Trainer,
  type TrainingHooks,
} from "../../src/training/mod.ts";
import type { TrainerParts } from "../../src/training/mod.ts";

/** y = w x with w = 0. */
export function lineModel(w = 0): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("line");
  const x = builder.input("x", "f32", ["B", 1]);
  const weight = builder.parameter("w", [w], [1, 1]);
  builder.output("y", builder.op("MatMul", [x, weight], "f32"), ["B", 1]);
  return builder.build() as Uint8Array<ArrayBuffer>;
}

/** Samples x → 2 x, one a batch unless told otherwise. */
export function doubles(xs: readonly number[], batchSize = 1): ReturnType<typeof tensorData> {
  return tensorData({
    x: { data: Float32Array.from(xs), dims: [xs.length, 1] },
    wanted: { data: Float32Array.from(xs, (x) => 2 * x), dims: [xs.length, 1] },
  }, { batchSize, shuffle: false });
}

/** Trains y = w x on x = 1 … 4 for one epoch of four steps, with sgd. */
export function line(
  hooks: readonly object[] = [],
  options: Partial<TrainerParts> = {},
): Trainer {
  return new Trainer({
    ...{ model: lineModel(), loss: meanSquaredError({ target: "wanted" }), name: "line" },
    ...{ data: doubles([1, 2, 3, 4]), optimizers: sgd({ lr: 0.01 }) },
    ...options,
    hooks: hooks as TrainingHooks,
  }) as Trainer;
}
