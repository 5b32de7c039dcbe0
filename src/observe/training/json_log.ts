import { wholeFrom } from "../../base/check_number.ts";
import type {
  BatchEndContext,
  BeginContext,
  EndContext,
  ExceptionContext,
  MetricsContext,
  TrainingBase,
} from "../../training/stages.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import { runIdOf, setRunId } from "../../hooks/loop/progress.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import { checkNumber, checkRequired, checkType } from "../any/hook_options.ts";
import { factsOf, flat, statusOf } from "./json_events.ts";
import { LogFile } from "../any/log_file.ts";
import { markAsRead, scalarsOf } from "../reporter/scalars.ts";
import {
  checkSaved,
  checkTraining,
  isPath,
  isText,
  rowTimesOf,
  TRAINING_TIMES,
  type TrainingHookTimes,
} from "./training_options.ts";

/** Options of {@linkcode JsonLog}. The schedule options apply to the rows of batches. */
export interface JsonLogOptions extends Omit<TrainingHookTimes, "frequency"> {
  /** Folder that contains the folder `logs`. Both are created if they do not exist. */
  readonly outputDir: string | URL;
  /**
   * Number of batches between two rows. The first batch has a row.
   *
   * @default 100
   */
  readonly logEveryNBatches?: number;
  /**
   * Name of the file in the folder `logs`. If the file exists, lines are appended.
   *
   * @default "training_TIMESTAMP.jsonl", a new one for each run
   */
  readonly fileName?: string;
  /**
   * Configuration of the run, to be written to the log as far as JSON allows.
   *
   * @default trainer.config
   */
  readonly config?: unknown;
}

const NAME = "JsonLog";
const OPTIONS = ["outputDir", "logEveryNBatches", "fileName", "config", ...TRAINING_TIMES];

/**
 * Writes the events of training as JSON Lines. Each line has `event`, `time` (ISO 8601) and `runId`. The events are:
 *
 * - log_start: `trainer` (its name) and `step`
 * - train_begin: `model`, `device`, `model_params`, `epoch`, `hooks`, `parameters`, `optimizers`, `config`, and in a
 *   run folder `commit` and `configHash`
 * - batch: `epoch`, `batch`, `step`, `loader`, `loss` and the metrics of the batch
 * - validation: `epoch`, `step`, `status` and the metrics
 * - epoch_end: `epoch`, `loss`, `duration` (s), `status` and the other metrics
 * - scalars: `source`, `step` and `values` that another hook has posted, and its `note` and `histograms` if it has any
 * - exception: `epoch`, `step` and `error`
 * - train_end: `status` (`completed`, `stopped` or `error`), `reason` if it is `stopped`, `training_time` (s),
 *   `total_batches`, `total_steps`, `final_loss`, and `best_loss` and `best_epoch` if an epoch was completed
 *
 * Epochs count from 1, batches from 0. Events outside of a run, such as those of `validate()`, are not written.
 * Metrics of validations and epochs have the names of `ctx.metrics`, without `train/`, and with `val_` instead of
 * `val/`.
 *
 * Every line is valid JSON: NaN is written as `null`, infinities as the strings `"Infinity"` and `"-Infinity"`. A line
 * is handed to the operating system before training goes on, so a killed process loses no line. The run ends if a line
 * cannot be written.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
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
  /** Name of the hook. */
  readonly name: string;
  /** Schedule of the rows of batches. All other lines are written at once. */
  readonly stageTimes: { readonly BATCH_END: ScheduleOptions };
  /** Ends the run if a line cannot be written. */
  readonly onError = "throw";
  readonly #file: LogFile;
  readonly #config: unknown;
  /** Id of the run. `isLoaded` is true if the id comes from a checkpoint and its run has not continued yet. */
  #run = { id: crypto.randomUUID() as string, isLoaded: false };
  #seen = 0;
  /** Engine of the current run. */
  #engine: Workflow | undefined;
  readonly #startTimes = { run: 0, epoch: 0 };
  #batches = 0;
  #best: { readonly loss: number; readonly epoch: number } | undefined;

  /** Creates the hook; no file is opened yet. */
  constructor(options: JsonLogOptions) {
    checkTraining(NAME, options, OPTIONS);
    checkRequired(NAME, options, "outputDir", "the folder for the logs");
    checkType(NAME, options, "outputDir", "a path", isPath);
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

  /** Path of the file of the current or last run; `undefined` before the first line is written. */
  get path(): string | undefined {
    return this.#file.path;
  }

  /** Id of the run, which its lines contain. It stays the same when a run resumes. */
  get runId(): string {
    return this.#engine === undefined ? this.#run.id : runIdOf(this.#engine, this.#run.id);
  }

  /**
   * Sets the id of the run. The file is opened with the first line, so a disabled log creates no file. Called by the
   * trainer when a run begins.
   */
  open(engine: Workflow): void {
    markAsRead(engine);
    if (this.#run.isLoaded) setRunId(engine, this.#run.id);
    this.#run = { id: runIdOf(engine, this.#run.id), isLoaded: false };
    this.#engine = engine;
    this.#startTimes.run = this.#startTimes.epoch = performance.now();
  }

  /** Logs the beginning of training. Called by the trainer. */
  onTrainBegin(ctx: BeginContext): void {
    this.#startTimes.run = performance.now();
    const { commit, configHash } = ctx.run ?? {};
    const config = this.#config ?? ctx.config;
    this.#line("train_begin", { ...factsOf(ctx), commit, configHash, config });
  }

  /** Starts the clock of an epoch. Called by the trainer. */
  onEpochBegin(): void {
    this.#startTimes.epoch = performance.now();
  }

  /** Counts a batch. Called by the trainer. */
  onBatchBegin(): void {
    this.#batches++;
  }

  /** Logs a row for a batch. Called by the trainer. */
  onBatchEnd(ctx: BatchEndContext): void {
    this.#logPostedRows(ctx);
    if (ctx.outcome.status === "failed") return;
    const { epoch, batchIdx: batch, loaderName: loader, stepCount: step, metrics, loss } = ctx;
    this.#line("batch", { epoch: epoch + 1, batch, step, loader, ...metrics, loss });
  }

  /** Logs the metrics of a validation. Called by the trainer. */
  onValidationEnd(ctx: MetricsContext): void {
    this.#logPostedRows(ctx);
    const { epoch, stepCount: step, metrics, outcome } = ctx;
    this.#line("validation", { epoch: epoch + 1, step, status: outcome.status, ...flat(metrics) });
  }

  /** Logs the metrics of an epoch. Called by the trainer. */
  onEpochEnd(ctx: MetricsContext): void {
    this.#logPostedRows(ctx);
    const { epoch, metrics, outcome } = ctx, known = flat(metrics);
    const { loss = NaN, ...others } = known;
    if (outcome.status === "completed") this.#compare(known.val_loss ?? loss, epoch + 1);
    const duration = secondsSince(this.#startTimes.epoch);
    this.#line("epoch_end", {
      epoch: epoch + 1,
      loss,
      duration,
      status: outcome.status,
      ...others,
    });
  }

  /** Logs an error. Called by the trainer. */
  onException({ error, epoch, state }: ExceptionContext): void {
    this.#line("exception", { epoch: epoch + 1, step: state.step, error });
  }

  /** Logs the end of training. Called by the trainer. */
  onTrainEnd(ctx: EndContext): void {
    this.#logPostedRows(ctx);
    const { state, outcome } = ctx, best = this.#best;
    this.#line("train_end", {
      status: statusOf(outcome),
      ...(outcome.status === "stopped" && { reason: outcome.reason }),
      training_time: secondsSince(this.#startTimes.run),
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

  /** Returns the state for a checkpoint as plain data. Called by the trainer. */
  save(): unknown {
    return { runId: this.runId, batches: this.#batches, best: this.#best ?? null };
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. Called by the trainer. */
  load(state: unknown): void {
    checkSaved(NAME, state, ["runId", "batches", "best"]);
    const saved = state as SavedLog;
    this.#run = { id: saved.runId, isLoaded: true };
    this.#engine = undefined; // set when the run begins
    this.#batches = saved.batches;
    this.#best = saved.best ?? undefined;
  }

  #compare(loss: number, epoch: number): void {
    if (loss < (this.#best?.loss ?? Infinity)) this.#best = { loss, epoch };
  }

  /** Logs the rows that other hooks have posted since the last call. */
  #logPostedRows(ctx: TrainingBase): void {
    const board = scalarsOf(ctx), rows = board.after(this.#seen);
    this.#seen = board.posted;
    for (const { source, step, values, note, histograms } of rows) {
      const more = { ...(note !== undefined && { note }), ...(histograms && { histograms }) };
      this.#line("scalars", { source, step, ...more, values });
    }
  }

  #line(event: string, values: Readonly<Record<string, unknown>>): void {
    const engine = this.#engine;
    if (engine === undefined) return; // validate() outside of a run
    if (!this.#file.isOpen) {
      // The recursion ends at once, because the file is open now.
      this.#file.open();
      this.#line("log_start", { trainer: engine.name, step: engine.stepCount });
    }
    const time = new Date().toISOString();
    this.#file.write({ event, time, runId: this.runId, ...values });
  }
}

/** State of the log in a checkpoint. */
interface SavedLog {
  readonly runId: string;
  readonly batches: number;
  readonly best: { readonly loss: number; readonly epoch: number } | null;
}

function secondsSince(time: number): number {
  return (performance.now() - time) / 1000;
}
