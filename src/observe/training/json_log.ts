import { wholeFrom } from "../../base/check_number.ts";
import type {
  BatchEndContext,
  EndContext,
  ExceptionContext,
  MetricsContext,
  TrainingBase,
} from "../../training/stages.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import { runIdOf, setRunId } from "../../hooks/loop/progress.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import { checkGiven, checkNumber, checkType } from "../any/hook_options.ts";
import { factsOf, flat, statusOf } from "./json_events.ts";
import { LogFile } from "../any/log_file.ts";
import { readRows, scalarsOf } from "../reporter/scalars.ts";
import {
  checkSaved,
  checkTraining,
  isPlace,
  isText,
  rowTimesOf,
  TRAINING_TIMES,
  type TrainingHookTimes,
} from "./training_options.ts";

/** What a {@linkcode JsonLog} is told. Its times are those of the rows of batches. */
export interface JsonLogOptions extends Omit<TrainingHookTimes, "frequency"> {
  /** The folder in which there will be a folder `logs`. Both are made where they are not there. */
  readonly outputDir: string | URL;
  /**
   * A line at every so many batches, the first included.
   *
   * @default 100
   */
  readonly logEveryNBatches?: number;
  /**
   * The file in the folder `logs`, which is added to where it is there.
   *
   * @default "training_TIMESTAMP.jsonl", a new one for each run
   */
  readonly fileName?: string;
  /**
   * What the run was configured by: written as it is, as far as JSON has it.
   *
   * @default nothing
   */
  readonly config?: unknown;
}

const NAME = "JsonLog";
const OPTIONS = ["outputDir", "logEveryNBatches", "fileName", "config", ...TRAINING_TIMES];

/**
 * Writes what happens in training as lines of JSON, each with its `event`, `time` (ISO 8601) and `runId`: log_start;
 * train_begin with config, hooks and parameters; batch with epoch, batch and loss; validation; epoch_end with its loss,
 * its duration (s) and `val_…`; scalars that other hooks have left; exception; train_end with status (`completed`,
 * `stopped` or `error`), training_time (s), total_batches, final_loss and the best epoch. Epochs count from 1, batches
 * from 0; what is no part of a run, as `validate()` by hand, is not written. Metrics have the names that they have in `ctx.metrics`, without `train/`, and with `val_` for `val/`.
 *
 * Every line is whole, and valid whatever values hold (NaN is null, Infinity is text), and out of the process before
 * training goes on: a kill loses none. What cannot be written stops the run.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { JsonLog } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [0], [1, 1]);
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * const log = new JsonLog({ outputDir: await Deno.makeTempDir(), logEveryNBatches: 1 });
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *     wanted: { data: Float32Array.of(2, 4), dims: [2, 1] },
 *   }, { batchSize: 2 }),
 *   optimizers: sgd({ lr: 0.1 }),
 *   hooks: [log],
 * });
 * await trainer.train();
 * const lines = (await Deno.readTextFile(log.path!)).trimEnd().split("\n");
 * const events = lines.map((line) => JSON.parse(line).event);
 * assertEquals(events, ["log_start", "train_begin", "batch", "epoch_end", "train_end"]);
 * ```
 */
export class JsonLog {
  /** What it is called. */
  readonly name: string;
  /** Rows of batches come at every so many; all else at once. */
  readonly stageTimes: { readonly BATCH_END: ScheduleOptions };
  /** What cannot be written must not go unnoticed. */
  readonly onError = "throw";
  readonly #file: LogFile;
  readonly #config: unknown;
  /** The id of the run; `isLoaded` while it is that of a checkpoint whose run has not gone on yet. */
  #run = { id: crypto.randomUUID() as string, isLoaded: false };
  #seen = 0;
  /** What the run is one of. */
  #engine: Workflow | undefined;
  readonly #begun = { run: 0, epoch: 0 };
  #batches = 0;
  #best: { readonly loss: number; readonly epoch: number } | undefined;

  /** Opens nothing yet. */
  constructor(options: JsonLogOptions) {
    checkTraining(NAME, options, OPTIONS);
    checkGiven(NAME, options, "outputDir", "the folder of its logs");
    checkType(NAME, options, "outputDir", "a path", isPlace);
    checkType(NAME, options, "fileName", "the name of a file", isText);
    checkNumber(NAME, options, "logEveryNBatches", wholeFrom(1));
    const { name = "json_log", logEveryNBatches: every = 100, outputDir, fileName } = options;
    const { enableAfterEpoch, ...times } = rowTimesOf(NAME, options, {
      every,
      member: "logEveryNBatches",
    });
    this.name = name;
    this.stageTimes = { BATCH_END: times };
    if (enableAfterEpoch !== undefined) Object.assign(this, { enableAfterEpoch });
    this.#config = options.config;
    this.#file = new LogFile(outputDir, fileName);
  }

  /** The file of this run, or of the last one; `undefined` before there was one. */
  get path(): string | undefined {
    return this.#file.path;
  }

  /** By which lines of this run are known, resumed or not. */
  get runId(): string {
    return this.#engine === undefined ? this.#run.id : runIdOf(this.#engine, this.#run.id);
  }

  /** A run begins. Its file is opened with the first line: a log that is switched off leaves none. Called by the trainer. */
  open(engine: Workflow): void {
    readRows(engine);
    if (this.#run.isLoaded) setRunId(engine, this.#run.id);
    this.#run = { id: runIdOf(engine, this.#run.id), isLoaded: false };
    this.#engine = engine;
    this.#begun.run = this.#begun.epoch = performance.now();
  }

  /** Training begins. Called by the trainer. */
  onTrainBegin(ctx: TrainingBase): void {
    this.#begun.run = performance.now();
    this.#line("train_begin", { ...factsOf(ctx), config: this.#config });
  }

  /** An epoch begins. Called by the trainer. */
  onEpochBegin(): void {
    this.#begun.epoch = performance.now();
  }

  /** A batch begins: it is counted. Called by the trainer. */
  onBatchBegin(): void {
    this.#batches++;
  }

  /** A batch is done. Called by the trainer. */
  onBatchEnd(ctx: BatchEndContext): void {
    this.#takeIn(ctx);
    if (ctx.outcome.status === "failed") return;
    const { epoch, batchIdx: batch, loaderName: loader, stepCount: step, metrics, loss } = ctx;
    this.#line("batch", { epoch: epoch + 1, batch, step, loader, ...metrics, loss });
  }

  /** Validation is done. Called by the trainer. */
  onValidationEnd(ctx: MetricsContext): void {
    this.#takeIn(ctx);
    const { epoch, stepCount: step, metrics, outcome } = ctx;
    this.#line("validation", { epoch: epoch + 1, step, status: outcome.status, ...flat(metrics) });
  }

  /** An epoch is done. Called by the trainer. */
  onEpochEnd(ctx: MetricsContext): void {
    this.#takeIn(ctx);
    const { epoch, metrics, outcome } = ctx, known = flat(metrics);
    const { loss = NaN, ...others } = known;
    if (outcome.status === "completed") this.#compare(known.val_loss ?? loss, epoch + 1);
    const duration = secondsSince(this.#begun.epoch);
    this.#line("epoch_end", {
      epoch: epoch + 1,
      loss,
      duration,
      status: outcome.status,
      ...others,
    });
  }

  /** Something was thrown. Called by the trainer. */
  onException({ error, epoch, state }: ExceptionContext): void {
    this.#line("exception", { epoch: epoch + 1, step: state.step, error });
  }

  /** Training is over. Called by the trainer. */
  onTrainEnd(ctx: EndContext): void {
    this.#takeIn(ctx);
    const { state, outcome } = ctx, best = this.#best;
    this.#line("train_end", {
      status: statusOf(outcome),
      ...(outcome.status === "stopped" && { reason: outcome.reason }),
      training_time: secondsSince(this.#begun.run),
      total_batches: this.#batches,
      total_steps: state.step,
      final_loss: state.latestLoss,
      ...(best !== undefined && { best_loss: best.loss, best_epoch: best.epoch }),
    });
  }

  /** Closes the file. Called by the trainer. */
  close(): void {
    this.#engine = undefined;
    this.#file.close();
  }

  /** What a checkpoint keeps: plain data. Called by the trainer. */
  save(): unknown {
    return { runId: this.runId, batches: this.#batches, best: this.#best ?? null };
  }

  /** Goes on where `save` was called. Throws a TypeError for what it did not give. Called by the trainer. */
  load(state: unknown): void {
    checkSaved(NAME, state, ["runId", "batches", "best"]);
    const saved = state as SavedLog;
    this.#run = { id: saved.runId, isLoaded: true };
    this.#engine = undefined; // until the run begins
    this.#batches = saved.batches;
    this.#best = saved.best ?? undefined;
  }

  #compare(loss: number, epoch: number): void {
    if (loss < (this.#best?.loss ?? Infinity)) this.#best = { loss, epoch };
  }

  /** Writes what other hooks have found since it last looked. */
  #takeIn(ctx: TrainingBase): void {
    const board = scalarsOf(ctx), rows = board.after(this.#seen);
    this.#seen = board.posted;
    for (const { source, step, values, note, histograms } of rows) {
      const more = { ...(note !== undefined && { note }), ...(histograms && { histograms }) };
      this.#line("scalars", { source, step, ...more, values });
    }
  }

  #line(event: string, values: Readonly<Record<string, unknown>>): void {
    const engine = this.#engine;
    if (engine === undefined) return; // a validation by hand is of no run
    if (!this.#file.isOpen) {
      this.#file.open();
      this.#line("log_start", { trainer: engine.name, step: engine.stepCount });
    }
    const time = new Date().toISOString();
    this.#file.write({ event, time, runId: this.runId, ...values });
  }
}

/** What a checkpoint keeps of a log. */
interface SavedLog {
  readonly runId: string;
  readonly batches: number;
  readonly best: { readonly loss: number; readonly epoch: number } | null;
}

function secondsSince(time: number): number {
  return (performance.now() - time) / 1000;
}
