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

/** What an {@linkcode EarlyStopping} can be told. Its times count validations, or epochs where it looks at their end. */
export interface EarlyStoppingOptions extends MonitorOptions, TrainingHookTimes {
  /**
   * So many times the metric may be no better before training stops.
   *
   * @default 10
   */
  readonly patience?: number;
  /**
   * Better by no more than this is no better.
   *
   * @default 0.0001
   */
  readonly minDelta?: number;
  /**
   * Whether it looks at the end of each epoch, rather than after each validation.
   *
   * @default false
   */
  readonly checkOnTrainEpochEnd?: boolean;
  /**
   * Whether a metric that is not there is an error that ends the run, rather than nothing to look at.
   *
   * @default true
   */
  readonly strict?: boolean;
  /**
   * Whether it says what it finds.
   *
   * @default false
   */
  readonly verbose?: boolean;
  /**
   * Takes what it says.
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
 * Stops training when a metric has not become better for some time. The first number is the best so far; a value that
 * is NaN is no better, and any number is better than that. How long it has waited goes into checkpoints.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
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
 *   ...{ model: builder.build(), loss: meanSquaredError({ target: "wanted" }), data },
 *   ...{ validation: data, optimizers: sgd({ lr: 0.1 }), epochs: 100 },
 *   hooks: [new EarlyStopping({ patience: 3 })],
 * });
 * await trainer.train();
 * assertEquals(trainer.state.currentEpoch, 4); // the best is that of the first
 * ```
 */
export class EarlyStopping {
  /** What it is called. */
  readonly name: string;
  /** A metric that is not there must not go unnoticed. */
  readonly onError = "throw";
  readonly #options: Required<Omit<EarlyStoppingOptions, keyof TrainingHookTimes>>;
  #best = NaN;
  #waited = 0;
  /** Epochs of this run, and how often there was something to look at. */
  #run = { epochs: 0, looks: 0 };

  /** Has seen nothing yet. */
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

  /** The best value so far; NaN before there was a number. */
  get best(): number {
    return this.#best;
  }

  /** How many times in a row it was no better. */
  get waited(): number {
    return this.#waited;
  }

  /** Training begins. Called by the trainer. */
  onTrainBegin(): void {
    this.#run = { epochs: 0, looks: 0 };
  }

  /** Looks at the metric, if this is when it does. Called by the trainer. */
  onValidationEnd(ctx: MetricsContext): void {
    if (!this.#options.checkOnTrainEpochEnd) this.#look(ctx);
  }

  /** Looks at the metric, if this is when it does. Called by the trainer. */
  onEpochEnd(ctx: MetricsContext): void {
    if (this.#options.checkOnTrainEpochEnd) this.#look(ctx);
    if (ctx.outcome.status === "completed") this.#run.epochs++;
  }

  /** Throws where a run that should have been watched had nothing to look at. Called by the trainer. */
  onTrainEnd({ outcome }: EndContext): void {
    const { strict, monitor } = this.#options;
    if (!strict || outcome.status !== "completed") return;
    const { epochs, looks } = this.#run;
    if (looks > 0 || epochs < 2) return; // one epoch is too short to be stopped
    throw new RangeError(
      `Cannot stop early by ${monitor}: there must be a validation: there was none; ` +
        `checkOnTrainEpochEnd looks at the end of each epoch`,
    );
  }

  /** What a checkpoint keeps: plain data. Called by the trainer. */
  save(): { readonly best: number; readonly waited: number } {
    return { best: this.#best, waited: this.#waited };
  }

  /** Goes on where `save` was called. Throws a TypeError for what it did not give. Called by the trainer. */
  load(state: unknown): void {
    checkSaved(NAME, state, ["best", "waited"]);
    const { best, waited } = state as { readonly best: number; readonly waited: number };
    this.#best = best;
    this.#waited = waited;
  }

  #look(ctx: MetricsContext): void {
    const { monitor, mode, minDelta, strict } = this.#options;
    if (ctx.outcome.status !== "completed" || ctx.state.status !== "training") return;
    this.#run.looks++;
    if (!strict && ctx.metrics[monitor] === undefined) return;
    const value = monitored("stop early", ctx.metrics, monitor);
    if (isBetter(value, this.#best, mode, minDelta)) {
      this.#say(`${monitor} is better: ${value}, after ${this.#best}`);
      this.#best = value;
      this.#waited = 0;
    } else this.#wait(ctx, value);
  }

  #wait(ctx: TrainingBase, value: number): void {
    const { monitor, patience } = this.#options;
    this.#waited++;
    const times = `${this.#waited} ${this.#waited === 1 ? "time" : "times"}`;
    this.#say(
      `${monitor} is no better: ${value}, the best is ${this.#best}, ${times} of ${patience}`,
    );
    if (this.#waited < patience) return;
    const reason = `${monitor} was no better than ${this.#best} for ${times}`;
    this.#say(`stopping: ${reason}`);
    ctx.stop(reason);
  }

  #say(line: string): void {
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
