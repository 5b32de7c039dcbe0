// A trainer of y = w x that is small enough to follow by hand.
import { NotFiniteError } from "../../src/training/not_finite_error.ts";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import {
  meanSquaredError,
  sgd,
  tensorData,
  Trainer,
  type TrainingContext,
  type TrainingHooks,
  TrainingStage,
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

/** Samples x → 2 x, by default one in a batch. */
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
    model: lineModel(),
    loss: meanSquaredError({ target: "wanted" }),
    name: "line",
    data: doubles([1, 2, 3, 4]),
    optimizers: sgd({ lr: 0.01 }),
    ...options,
    hooks: hooks as TrainingHooks,
  }) as Trainer;
}

/**
 * Makes validations give these losses, squares of numbers that float32 represents exactly; needs `validation:
 * doubles([1])`.
 */
export function coming(losses: readonly number[]): object {
  let next = 0;
  return {
    name: "coming",
    stage: TrainingStage.VALIDATION_BEGIN,
    frequency: 1,
    writes: ["parameters"] as const,
    call(ctx: TrainingContext<never, "parameters">): void {
      ctx.write.parameters.get("w")![0] = 2 + Math.sqrt(losses[next++] ?? NaN);
    },
  };
}

/** A trainer whose validations give these losses, one in an epoch. */
export function validating(
  losses: readonly number[],
  hooks: readonly object[],
  options: Partial<TrainerParts> = {},
): Trainer {
  return line([coming(losses), ...hooks], {
    epochs: losses.length,
    data: doubles([1]),
    validation: doubles([1]),
    optimizers: sgd({ lr: 1e-12 }),
    ...options,
  });
}

/** Trains, and ignores the error of parameters that end as NaN. */
export async function trainAnyway(trainer: Trainer): Promise<void> {
  await trainer.train().catch((error) => {
    if (!(error instanceof NotFiniteError)) throw error;
  });
}
