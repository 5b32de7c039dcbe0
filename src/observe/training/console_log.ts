import { wholeFrom } from "../../base/check_number.ts";
import type {
  BatchEndContext,
  BeginContext,
  EndContext,
  ExceptionContext,
  MetricsContext,
  TrainingBase,
} from "../../training/stages.ts";
import type { RunInfo } from "../../training/context.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import { checkNumber, checkType, isOneOf } from "../any/hook_options.ts";
import { printLine } from "../any/print_line.ts";
import { markAsRead, rowText, scalarsOf, valuesText } from "../reporter/scalars.ts";
import {
  checkTraining,
  checkWrite,
  rowTimesOf,
  TRAINING_TIMES,
  type TrainingHookTimes,
} from "./training_options.ts";

/** Lowest level of the lines that a {@linkcode ConsoleLog} writes. */
export type LogLevel = "info" | "warning" | "error";

/** Options of {@linkcode ConsoleLog}. The schedule options apply to the rows of batches. */
export interface ConsoleLogOptions extends Omit<TrainingHookTimes, "frequency"> {
  /**
   * Number of batches between two rows. The first batch has a row.
   *
   * @default 10
   */
  readonly logEveryNBatches?: number;
  /**
   * Lowest level of the lines to write.
   *
   * @default "info"
   */
  readonly level?: LogLevel;
  /**
   * Function that takes each line, without a newline.
   *
   * @default console.log
   */
  readonly write?: (line: string) => void;
}

const NAME = "ConsoleLog";
const LEVELS: readonly LogLevel[] = ["info", "warning", "error"];

/**
 * Logs training as lines of text:
 *
 * - the beginning, with the id of the run, the git commit and the hash of the configuration
 * - each epoch, and a row for every `logEveryNBatches` batches
 * - the metrics of each validation and epoch
 * - the rows that other hooks post in the slot `scalars`
 * - the end
 *
 * Epochs count from 1, batches from 0.
 *
 * With `level: "warning"` it logs only losses that are not finite, notes of other hooks, and runs that end early.
 * With `"error"` it logs only errors.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { ConsoleLog } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [0], [1, 1]);
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * const lines: string[] = [];
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *     wanted: { data: Float32Array.of(2, 4), dims: [2, 1] },
 *   }, { batchSize: 2 }),
 *   optimizers: sgd({ lr: 0.1 }),
 *   hooks: [new ConsoleLog({ write: (line) => lines.push(line) })],
 * });
 * await trainer.train();
 * assertEquals(lines[3], "epoch 1  batch 0  loss 10");
 * ```
 */
export class ConsoleLog {
  /** Name of the hook. */
  readonly name: string;
  /** Schedule of the rows of batches. All other lines are written at once. */
  readonly stageTimes: { readonly BATCH_END: ScheduleOptions };
  readonly #level: number;
  readonly #write: (line: string) => void;
  #seen = 0;
  #startTimes = { run: 0, epoch: 0 };

  /** Creates the hook; nothing is written yet. */
  constructor(options: ConsoleLogOptions = {}) {
    checkTraining(NAME, options, ["logEveryNBatches", "level", "write", ...TRAINING_TIMES]);
    checkNumber(NAME, options, "logEveryNBatches", wholeFrom(1));
    checkType(NAME, options, "level", LEVELS.join(" | "), isOneOf(...LEVELS));
    checkWrite(NAME, options);
    const { name = "console_log", logEveryNBatches: every = 10, level = "info" } = options;
    const { enableAfterEpoch, ...times } = rowTimesOf(NAME, options, {
      every,
      member: "logEveryNBatches",
    });
    this.name = name;
    this.stageTimes = { BATCH_END: times };
    if (enableAfterEpoch !== undefined) Object.assign(this, { enableAfterEpoch });
    this.#level = LEVELS.indexOf(level);
    this.#write = options.write ?? printLine;
  }

  /** Records that this log reads the rows of the engine. Called by the trainer when a run begins. */
  open(engine: Workflow): void {
    markAsRead(engine);
  }

  /** Logs the beginning of training. Called by the trainer. */
  onTrainBegin({ state, trainer, workflow, run }: BeginContext): void {
    this.#startTimes.run = performance.now();
    const hooks = workflow.hooks.list().filter(({ enabled }) => enabled).map(({ name }) => name);
    this.#logLine(
      `training ${trainer.name}: ${state.modelParams} parameters on ${state.device}, from epoch ` +
        `${state.currentEpoch + 1}, hooks ${hooks.join(", ")}`,
    );
    if (run !== undefined) this.#logLine(factsInWords(run));
  }

  /** Logs the beginning of an epoch. Called by the trainer. */
  onEpochBegin({ epoch }: TrainingBase): void {
    this.#startTimes.epoch = performance.now();
    this.#logLine(`epoch ${epoch + 1}`);
  }

  /** Logs a row for a batch. Called by the trainer. */
  onBatchEnd(ctx: BatchEndContext): void {
    this.#logPostedRows(ctx);
    if (ctx.outcome.status === "failed") return;
    const row = `epoch ${ctx.epoch + 1}  batch ${ctx.batchIdx}  ${valuesText(ctx.metrics)}`;
    this.#logLine(row, Number.isFinite(ctx.loss) ? "info" : "warning");
  }

  /** Logs the metrics of a validation. Called by the trainer. */
  onValidationEnd(ctx: MetricsContext): void {
    this.#logPostedRows(ctx);
    this.#logMetrics("validation", ctx);
  }

  /** Logs the metrics of an epoch. Called by the trainer. */
  onEpochEnd(ctx: MetricsContext): void {
    this.#logPostedRows(ctx);
    this.#logMetrics(`epoch ${ctx.epoch + 1}`, ctx, `  ${secondsSince(this.#startTimes.epoch)}`);
  }

  /** Logs an error. Called by the trainer. */
  onException({ error, epoch, state }: ExceptionContext): void {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#logLine(`error in epoch ${epoch + 1}, step ${state.step}: ${what}`, "error");
  }

  /** Logs the end of training. Called by the trainer. */
  onTrainEnd(ctx: EndContext): void {
    this.#logPostedRows(ctx);
    const { outcome, state } = ctx;
    const reason = outcome.status === "stopped" ? `: ${outcome.reason}` : "";
    this.#logLine(
      `training ${outcome.status}${reason}  ${state.step} steps  ${
        secondsSince(this.#startTimes.run)
      }${errorsOf(outcome)}`,
      outcome.status === "completed" && outcome.hookErrors === undefined ? "info" : "warning",
    );
  }

  #logMetrics(what: string, { metrics, outcome }: MetricsContext, more = ""): void {
    if (outcome.status === "failed") return;
    const isFine = Object.values(metrics).every(Number.isFinite);
    const ended = outcome.status === "completed" ? "done" : "stopped";
    this.#logLine(`${what} ${ended}  ${valuesText(metrics)}${more}`, isFine ? "info" : "warning");
  }

  /** Logs the rows that other hooks have posted since the last call. */
  #logPostedRows(ctx: TrainingBase): void {
    const board = scalarsOf(ctx), rows = board.after(this.#seen);
    this.#seen = board.posted;
    for (const row of rows) {
      this.#logLine(rowText(row), row.note === undefined ? "info" : "warning");
    }
  }

  #logLine(line: string, level: LogLevel = "info"): void {
    if (LEVELS.indexOf(level) >= this.#level) this.#write(line);
  }
}

function factsInWords({ id, commit, configHash }: RunInfo): string {
  const facts = Object.entries({ commit, config: configHash });
  const known = facts.filter(([, fact]) => fact !== undefined);
  return [`run ${id}`, ...known.map(([name, fact]) => `${name} ${fact}`)].join("  ");
}

function errorsOf({ hookErrors }: Outcome): string {
  if (hookErrors === undefined) return "";
  return `  (${hookErrors} ${hookErrors === 1 ? "error" : "errors"} of hooks)`;
}

function secondsSince(time: number): string {
  return `${((performance.now() - time) / 1000).toFixed(1)} s`;
}
