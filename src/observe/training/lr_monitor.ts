import { wholeFrom } from "../../base/check_number.ts";
import type { TrainingBase } from "../../training/stages.ts";
import { TrainingStage } from "../../training/stages.ts";
import { complaint } from "../../base/show.ts";
import { checkNumber, checkType, isFlag, isOneOf } from "../any/hook_options.ts";
import type { ScalarRow } from "../reporter/scalars.ts";
import {
  checkTraining,
  checkWrite,
  deliver,
  type RowWriter,
  TRAINING_TIMES,
  type TrainingHookTimes,
  trainingTimesOf,
} from "./training_options.ts";

/** Options of {@linkcode LrMonitor}. The schedule options count steps or epochs, as `frequency` says. */
export interface LrMonitorOptions extends Omit<TrainingHookTimes, "frequency">, RowWriter {
  /**
   * Unit of the schedule.
   *
   * @default "epoch", or "step" if `everyNSteps` is given
   */
  readonly frequency?: "step" | "epoch";
  /**
   * Number of steps between two rows.
   *
   * @default 1
   */
  readonly everyNSteps?: number;
  /**
   * Reports momenta, too.
   *
   * @default false
   */
  readonly logMomentum?: boolean;
  /**
   * Reports weight decays, too.
   *
   * @default false
   */
  readonly logWeightDecay?: boolean;
}

const NAME = "LrMonitor";
const OPTIONS = ["everyNSteps", "logMomentum", "logWeightDecay", "write", ...TRAINING_TIMES];

/**
 * Reports the learning rate of each group of each optimizer as `"lr/adam"`, or as `"lr/adam/0"` if the optimizer has
 * several groups. Rows are written at the end of an epoch or step, with the values of its last step.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { LrMonitor, type ScalarRow } from "@hooke/hooke/observe";
 * import { exponential, meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [0], [1, 1]);
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * const rows: ScalarRow[] = [];
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *     wanted: { data: Float32Array.of(2, 4), dims: [2, 1] },
 *   }, { batchSize: 1 }),
 *   optimizers: sgd({ lr: 0.125 }),
 *   schedule: exponential({ gamma: 0.5 }),
 *   hooks: [new LrMonitor({ frequency: "step", write: (row) => rows.push(row) })],
 * });
 * await trainer.train();
 * assertEquals(rows.map(({ values }) => values), [{ "lr/sgd": 0.125 }, { "lr/sgd": 0.0625 }]);
 * ```
 */
export class LrMonitor {
  /** Name of the hook. */
  readonly name: string;
  /** Stage of the hook: the end of an epoch or of a step. */
  readonly stage: typeof TrainingStage.EPOCH_END | typeof TrainingStage.STEP_END;
  /** Number of epochs or steps between two rows. */
  readonly frequency: number;
  readonly #options: Pick<LrMonitorOptions, "logMomentum" | "logWeightDecay" | "write">;

  /** Creates the hook. */
  constructor(options: LrMonitorOptions = {}) {
    checkLrMonitor(options);
    const { everyNSteps, frequency = everyNSteps === undefined ? "epoch" : "step" } = options;
    this.name = options.name ?? "lr_monitor";
    this.stage = frequency === "epoch" ? TrainingStage.EPOCH_END : TrainingStage.STEP_END;
    this.frequency = everyNSteps ?? 1;
    Object.assign(this, trainingTimesOf(NAME, { ...options, frequency: this.frequency }));
    this.#options = options;
  }

  /** Reports the learning rates. Called by the trainer. */
  call(ctx: TrainingBase): void {
    const { logMomentum = false, logWeightDecay = false, write } = this.#options;
    const values: Record<string, number> = {};
    for (const { name, groups } of ctx.optimizers) {
      for (const [i, { lr, momentum, weightDecay }] of groups.entries()) {
        const path = groups.length > 1 ? `${name}/${i}` : name;
        values[`lr/${path}`] = lr;
        if (logMomentum) values[`momentum/${path}`] = momentum;
        if (logWeightDecay) values[`weightDecay/${path}`] = weightDecay;
      }
    }
    const row: ScalarRow = { source: this.name, step: ctx.stepCount, values };
    deliver(ctx, row, write);
  }
}

function checkLrMonitor(options: LrMonitorOptions): void {
  checkTraining(NAME, options, OPTIONS);
  checkType(NAME, options, "frequency", '"step" or "epoch"', isOneOf("step", "epoch"));
  checkNumber(NAME, options, "everyNSteps", wholeFrom(1));
  checkType(NAME, options, "logMomentum", "true or false", isFlag);
  checkType(NAME, options, "logWeightDecay", "true or false", isFlag);
  checkWrite(NAME, options);
  if (options.frequency !== "epoch" || options.everyNSteps === undefined) return;
  throw new TypeError(
    complaint(
      `make a ${NAME}`,
      'everyNSteps must be left out unless frequency is "step"',
      options.everyNSteps,
    ),
  );
}
