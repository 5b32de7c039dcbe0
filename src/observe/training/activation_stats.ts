import { wholeFrom } from "../../base/check_number.ts";
import type { TrainingContext } from "../../training/stages.ts";
import { TrainingStage } from "../../training/stages.ts";
import { checkNumber, checkType } from "../any/hook_options.ts";
import {
  checkTraining,
  checkWrite,
  deliver,
  isText,
  rowTimesOf,
  type RowWriter,
  TRAINING_TIMES,
  type TrainingHookTimes,
} from "./training_options.ts";

/** Options of {@linkcode ActivationStats}. */
export interface ActivationStatsOptions extends Omit<TrainingHookTimes, "frequency">, RowWriter {
  /**
   * Tensors of the model to measure: names, or patterns of names with `*`.
   *
   * @default "*"
   */
  readonly points?: string | readonly string[];
  /**
   * Number of forward passes between two measurements. The first pass is measured. Passes of validation count, but
   * are not measured.
   *
   * @default 1
   */
  readonly logInterval?: number;
}

const NAME = "ActivationStats";

/**
 * Measures tensors within the model: `mean`, `std`, `min` and `max` of each in a forward pass of training, before the
 * loss is computed. The values are named `"activations/NAME/mean"` and so on.
 *
 * The statistics are computed on the device of the tensors, in a second pass apart from training. The results of
 * training are therefore bitwise identical with and without the hook.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
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
  /** Name of the hook. */
  readonly name: string;
  /** Stage of the hook: after the forward pass, before the loss. */
  readonly stage: typeof TrainingStage.AFTER_FORWARD = TrainingStage.AFTER_FORWARD;
  /** Number of forward passes between two measurements. */
  readonly frequency: number;
  /** Fields that the hook reads. */
  readonly reads: readonly `statistics:${string}`[];
  readonly #write: ActivationStatsOptions["write"];

  /** Creates the hook. */
  constructor(options: ActivationStatsOptions = {}) {
    checkTraining(NAME, options, ["points", "logInterval", "write", ...TRAINING_TIMES]);
    const arePoints = (x: unknown) => [x].flat().length > 0 && [x].flat().every(isText);
    checkType(
      NAME,
      options,
      "points",
      "a name or pattern of tensors, or a non-empty array of them",
      arePoints,
    );
    checkNumber(NAME, options, "logInterval", wholeFrom(1));
    checkWrite(NAME, options);
    const { name = "activation_stats", points = "*", logInterval: every = 1 } = options;
    this.name = name;
    this.frequency = every;
    Object.assign(this, rowTimesOf(NAME, options, { every, member: "logInterval" }));
    this.reads = [points].flat().map((point) => `statistics:${point}` as const);
    this.#write = options.write;
  }

  /** Returns whether the pass belongs to training, and not to validation. Called by the trainer. */
  when({ phase }: Pick<TrainingContext, "phase">): boolean {
    return phase === "train";
  }

  /** Measures the tensors. Called by the trainer. */
  call(ctx: TrainingContext<`statistics:${string}`>): void {
    const values: Record<string, number> = {};
    for (const field of this.reads) {
      for (const [tensor, { mean, std, min, max }] of ctx.read[field] ?? []) {
        for (const [what, value] of Object.entries({ mean, std, min, max })) {
          values[`activations/${tensor}/${what}`] = value;
        }
      }
    }
    deliver(ctx, { source: this.name, step: ctx.stepCount, values }, this.#write);
  }
}
