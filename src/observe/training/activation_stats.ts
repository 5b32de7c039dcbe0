import { wholeFrom } from "../../base/check_number.ts";
import type { TrainingContext } from "../../training/stages.ts";
import { TrainingStage } from "../../training/stages.ts";
import { checkNumber, checkType } from "../any/hook_options.ts";
import {
  checkTraining,
  checkWrite,
  handOver,
  isText,
  rowTimesOf,
  type RowWriter,
  TRAINING_TIMES,
  type TrainingHookTimes,
} from "./training_options.ts";

/** What an {@linkcode ActivationStats} can be told. */
export interface ActivationStatsOptions extends Omit<TrainingHookTimes, "frequency">, RowWriter {
  /**
   * Which tensors of the model: names, or patterns of names with `*`.
   *
   * @default "*"
   */
  readonly points?: string | readonly string[];
  /**
   * It looks at every so many forward passes, the first included. Those of validation count, but are left out.
   *
   * @default 1
   */
  readonly logInterval?: number;
}

const NAME = "ActivationStats";

/**
 * Follows tensors within the model: `mean`, `std`, `min` and `max` of each in a forward pass of training, computed where
 * they are, before the loss. Numbers are called `"activations/NAME/mean"`. What it looks at is computed once more, apart
 * from training, which goes on to the same bits with it or without.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { ActivationStats, type ScalarRow } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [3], [1, 1]);
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * const rows: ScalarRow[] = [];
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *     wanted: { data: Float32Array.of(2, 4), dims: [2, 1] },
 *   }, { batchSize: 2 }),
 *   optimizers: sgd({ lr: 0.1 }),
 *   hooks: [new ActivationStats({ points: "y", write: (row) => rows.push(row) })],
 * });
 * await trainer.train();
 * assertEquals(rows[0]!.values["activations/y/mean"], 4.5);
 * ```
 */
export class ActivationStats {
  /** What it is called. */
  readonly name: string;
  /** After the forward pass, before the loss. */
  readonly stage: typeof TrainingStage.AFTER_FORWARD = TrainingStage.AFTER_FORWARD;
  /** At every so many. */
  readonly frequency: number;
  /** What it looks at. */
  readonly reads: readonly `statistics:${string}`[];
  readonly #write: ActivationStatsOptions["write"];

  /** Looks at nothing yet. */
  constructor(options: ActivationStatsOptions = {}) {
    checkTraining(NAME, options, ["points", "logInterval", "write", ...TRAINING_TIMES]);
    const arePoints = (x: unknown) => [x].flat().length > 0 && [x].flat().every(isText);
    checkType(NAME, options, "points", "names of tensors, or patterns", arePoints);
    checkNumber(NAME, options, "logInterval", wholeFrom(1));
    checkWrite(NAME, options);
    const { name = "activation_stats", points = "*", logInterval: every = 1 } = options;
    this.name = name;
    this.frequency = every;
    Object.assign(this, rowTimesOf(NAME, options, { every, member: "logInterval" }));
    this.reads = [points].flat().map((point) => `statistics:${point}` as const);
    this.#write = options.write;
  }

  /** Only training is looked at. Asked by the trainer. */
  when({ phase }: Pick<TrainingContext, "phase">): boolean {
    return phase === "train";
  }

  /** Looks at the tensors. Called by the trainer. */
  call(ctx: TrainingContext<`statistics:${string}`>): void {
    const values: Record<string, number> = {};
    for (const field of this.reads) {
      for (const [tensor, { mean, std, min, max }] of ctx.read[field] ?? []) {
        for (const [what, value] of Object.entries({ mean, std, min, max })) {
          values[`activations/${tensor}/${what}`] = value;
        }
      }
    }
    handOver(ctx, { source: this.name, step: ctx.stepCount, values }, this.#write);
  }
}
