import { numberFrom, wholeFrom } from "../../base/check_number.ts";
import type { EndContext, MetricsContext, TrainingBase } from "../../training/stages.ts";
import { checkNumber, checkType, isFlag } from "../any/hook_options.ts";
import { checkMonitor, isBetter, monitored, type MonitorOptions } from "./monitored.ts";
import { printLine } from "../any/print_line.ts";
import {
  checkSaved,
  checkTraining,
  checkWrite,
  TRAINING_TIMES,
  type TrainingHookTimes,
  trainingTimesOf,
} from "./training_options.ts";

/**
 * Options of {@linkcode EarlyStopping}. The schedule options count validations, or epochs if `checkOnTrainEpochEnd`
 * is true.
 */
export interface EarlyStoppingOptions extends MonitorOptions, TrainingHookTimes {
  /**
   * Number of checks in a row without improvement after which training stops.
   *
   * @default 10
   */
  readonly patience?: number;
  /**
   * Smallest change of the metric that counts as an improvement.
   *
   * @default 0.0001
   */
  readonly minDelta?: number;
  /**
   * Checks the metric at the end of each epoch, instead of after each validation.
   *
   * @default false
   */
  readonly checkOnTrainEpochEnd?: boolean;
  /**
   * Ends the run with an error if the metric is missing. If false, the check is skipped.
   *
   * @default true
   */
  readonly strict?: boolean;
  /**
   * Writes a line for each check.
   *
   * @default false
   */
  readonly verbose?: boolean;
  /**
   * Function that takes each line, without a newline.
   *
   * @default console.log
   */
  readonly write?: (line: string) => void;
}

const NAME = "EarlyStopping";
const OPTIONS = [
  "monitor",
  "mode",
  "patience",
  "minDelta",
  "checkOnTrainEpochEnd",
  "strict",
  "verbose",
  "write",
  ...TRAINING_TIMES,
];

/**
 * Stops training when a metric has not improved for `patience` checks. The first finite value is the initial best
 * value. A value that is not finite is never an improvement. Checkpoints contain the number of checks without
 * improvement.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { EarlyStopping } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [2], [1, 1]); // as good as it gets
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * const data = tensorData({
 *   x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *   wanted: { data: Float32Array.of(2, 4), dims: [2, 1] },
 * }, { batchSize: 2 });
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data,
 *   validation: data,
 *   optimizers: sgd({ lr: 0.1 }),
 *   epochs: 100,
 *   hooks: [new EarlyStopping({ patience: 3 })],
 * });
 * await trainer.train();
 * assertEquals(trainer.state.currentEpoch, 4); // the best is that of the first
 * ```
 */
export class EarlyStopping {
  /** Name of the hook. */
  readonly name: string;
  /** Ends the run if the metric is missing. */
  readonly onError = "throw";
  readonly #options: Required<Omit<EarlyStoppingOptions, keyof TrainingHookTimes>>;
  #best = NaN;
  #waited = 0;
  /** Number of completed epochs of this run, and number of checks of the metric in them. */
  #run = { epochs: 0, checks: 0 };

  /** Creates the hook. */
  constructor(options: EarlyStoppingOptions = {}) {
    checkStopping(options);
    this.name = options.name ?? "early_stopping";
    Object.assign(this, trainingTimesOf(NAME, options));
    const { monitor = "val/loss", mode = "min", patience = 10, minDelta = 1e-4 } = options;
    const { checkOnTrainEpochEnd = false, strict = true, verbose = false } = options;
    this.#options = {
      monitor,
      mode,
      patience,
      minDelta,
      checkOnTrainEpochEnd,
      strict,
      verbose,
      write: options.write ?? printLine,
    };
  }

  /** Best value so far; NaN before the first value. */
  get best(): number {
    return this.#best;
  }

  /** Number of checks in a row without improvement. */
  get waited(): number {
    return this.#waited;
  }

  /** Resets the counts of the run. Called by the trainer when training begins. */
  onTrainBegin(): void {
    this.#run = { epochs: 0, checks: 0 };
  }

  /** Checks the metric, unless `checkOnTrainEpochEnd` is true. Called by the trainer after a validation. */
  onValidationEnd(ctx: MetricsContext): void {
    if (!this.#options.checkOnTrainEpochEnd) this.#check(ctx);
  }

  /** Checks the metric if `checkOnTrainEpochEnd` is true. Called by the trainer at the end of an epoch. */
  onEpochEnd(ctx: MetricsContext): void {
    if (this.#options.checkOnTrainEpochEnd) this.#check(ctx);
    if (ctx.outcome.status === "completed") this.#run.epochs++;
  }

  /**
   * If `strict` is true, throws a RangeError if a completed run of several epochs never had a metric to check. Called
   * by the trainer when training ends.
   */
  onTrainEnd({ outcome }: EndContext): void {
    const { strict, monitor } = this.#options;
    if (!strict || outcome.status !== "completed") return;
    const { epochs, checks } = this.#run;
    if (checks > 0 || epochs < 2) return; // one epoch is too short to be stopped
    throw new RangeError(
      `Cannot stop early by ${monitor}: the run had no validation. ` +
        `Pass validation data, or set checkOnTrainEpochEnd to check at the end of each epoch`,
    );
  }

  /** Returns the state for a checkpoint as plain data. Called by the trainer. */
  save(): { readonly best: number; readonly waited: number } {
    return { best: this.#best, waited: this.#waited };
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. Called by the trainer. */
  load(state: unknown): void {
    checkSaved(NAME, state, ["best", "waited"]);
    const { best, waited } = state as { readonly best: number; readonly waited: number };
    this.#best = best;
    this.#waited = waited;
  }

  #check(ctx: MetricsContext): void {
    const { monitor, mode, minDelta, strict } = this.#options;
    if (ctx.outcome.status !== "completed" || ctx.state.status !== "training") return;
    this.#run.checks++;
    if (!strict && ctx.metrics[monitor] === undefined) return;
    const value = monitored("stop early", ctx.metrics, monitor);
    if (isBetter(value, this.#best, mode, minDelta)) {
      const before = Number.isNaN(this.#best) ? "the first value" : `before ${this.#best}`;
      this.#log(`${monitor} has improved: ${value}, ${before}`);
      this.#best = value;
      this.#waited = 0;
    } else this.#countFailure(ctx, value);
  }

  #countFailure(ctx: TrainingBase, value: number): void {
    const { monitor, patience } = this.#options;
    this.#waited++;
    const times = `${this.#waited} ${this.#waited === 1 ? "check" : "checks"}`;
    this.#log(
      `${monitor} has not improved: ${value} (best ${this.#best}), ${times} without improvement of ${patience} allowed`,
    );
    if (this.#waited < patience) return;
    const reason = `${monitor} did not improve on ${this.#best} for ${times}`;
    this.#log(`stopping: ${reason}`);
    ctx.stop(reason);
  }

  #log(line: string): void {
    if (this.#options.verbose) this.#options.write(line);
  }
}

function checkStopping(options: EarlyStoppingOptions): void {
  checkTraining(NAME, options, OPTIONS);
  checkMonitor(NAME, options);
  checkNumber(NAME, options, "patience", wholeFrom(0));
  checkNumber(NAME, options, "minDelta", numberFrom(0));
  for (const member of ["checkOnTrainEpochEnd", "strict", "verbose"]) {
    checkType(NAME, options, member, "true or false", isFlag);
  }
  checkWrite(NAME, options);
}
