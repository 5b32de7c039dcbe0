import { wholeFrom } from "../../base/check_number.ts";
import type {
  BatchEndContext,
  EndContext,
  ExceptionContext,
  MetricsContext,
  TrainingBase,
} from "../../training/stages.ts";
import type { Workflow } from "../../hooks/protocol/context.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import { checkNumber, checkType, isOneOf } from "../any/hook_options.ts";
import { printLine } from "../any/print_line.ts";
import { inWords, readRows, rowInWords, scalarsOf } from "../reporter/scalars.ts";
import {
  checkTraining,
  checkWrite,
  rowTimesOf,
  TRAINING_TIMES,
  type TrainingHookTimes,
} from "./training_options.ts";

/** How much a {@linkcode ConsoleLog} says: everything, what somebody should look at, or errors alone. */
export type LogLevel = "info" | "warning" | "error";

/** What a {@linkcode ConsoleLog} can be told. Its times are those of the rows of batches. */
export interface ConsoleLogOptions extends Omit<TrainingHookTimes, "frequency"> {
  /**
   * A row at every so many batches, the first included.
   *
   * @default 10
   */
  readonly logEveryNBatches?: number;
  /**
   * How much it says.
   *
   * @default "info"
   */
  readonly level?: LogLevel;
  /**
   * Takes each line, without a newline.
   *
   * @default console.log
   */
  readonly write?: (line: string) => void;
}

const NAME = "ConsoleLog";
const LEVELS: readonly LogLevel[] = ["info", "warning", "error"];

/**
 * Says how training is getting on: when it begins, each epoch, a row at every so many batches, what validation and each
 * epoch came to, and how it ended; and what other hooks have left in the slot `scalars`. Epochs count from 1, batches
 * from 0. With `level: "warning"` only what somebody should look at: losses that are no numbers, notes of other hooks,
 * a run that ended early; with `"error"` only errors.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
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
 * assertEquals(lines[2], "epoch 1  batch 0  loss 10");
 * ```
 */
export class ConsoleLog {
  /** What it is called. */
  readonly name: string;
  /** Rows of batches come at every so many; all else at once. */
  readonly stageTimes: { readonly BATCH_END: ScheduleOptions };
  readonly #level: number;
  readonly #write: (line: string) => void;
  #seen = 0;
  #begun = { run: 0, epoch: 0 };

  /** Says nothing yet. */
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

  /** A run begins. Called by the trainer. */
  open(engine: Workflow): void {
    readRows(engine);
  }

  /** Training begins. Called by the trainer. */
  onTrainBegin({ state, trainer, workflow }: TrainingBase): void {
    this.#begun.run = performance.now();
    const hooks = workflow.hooks.list().filter(({ enabled }) => enabled).map(({ name }) => name);
    this.#say(
      `training ${trainer.name}: ${state.modelParams} parameters on ${state.device}, from epoch ` +
        `${state.currentEpoch + 1}, hooks ${hooks.join(", ")}`,
    );
  }

  /** An epoch begins. Called by the trainer. */
  onEpochBegin({ epoch }: TrainingBase): void {
    this.#begun.epoch = performance.now();
    this.#say(`epoch ${epoch + 1}`);
  }

  /** A batch is done. Called by the trainer. */
  onBatchEnd(ctx: BatchEndContext): void {
    this.#takeIn(ctx);
    if (ctx.outcome.status === "failed") return;
    const row = `epoch ${ctx.epoch + 1}  batch ${ctx.batchIdx}  ${inWords(ctx.metrics)}`;
    this.#say(row, Number.isFinite(ctx.loss) ? "info" : "warning");
  }

  /** Validation is done. Called by the trainer. */
  onValidationEnd(ctx: MetricsContext): void {
    this.#takeIn(ctx);
    this.#sum("validation", ctx);
  }

  /** An epoch is done. Called by the trainer. */
  onEpochEnd(ctx: MetricsContext): void {
    this.#takeIn(ctx);
    this.#sum(`epoch ${ctx.epoch + 1}`, ctx, `  ${secondsSince(this.#begun.epoch)}`);
  }

  /** Something was thrown. Called by the trainer. */
  onException({ error, epoch, state }: ExceptionContext): void {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#say(`error in epoch ${epoch + 1}, step ${state.step}: ${what}`, "error");
  }

  /** Training is over. Called by the trainer. */
  onTrainEnd(ctx: EndContext): void {
    this.#takeIn(ctx);
    const { outcome, state } = ctx;
    const reason = outcome.status === "stopped" ? `: ${outcome.reason}` : "";
    this.#say(
      `training ${outcome.status}${reason}  ${state.step} steps  ${secondsSince(this.#begun.run)}${
        errorsOf(outcome)
      }`,
      outcome.status === "completed" && outcome.hookErrors === undefined ? "info" : "warning",
    );
  }

  #sum(what: string, { metrics, outcome }: MetricsContext, more = ""): void {
    if (outcome.status === "failed") return;
    const isFine = Object.values(metrics).every(Number.isFinite);
    const ended = outcome.status === "completed" ? "done" : "stopped";
    this.#say(`${what} ${ended}  ${inWords(metrics)}${more}`, isFine ? "info" : "warning");
  }

  /** Says what other hooks have found since it last looked. */
  #takeIn(ctx: TrainingBase): void {
    const board = scalarsOf(ctx), rows = board.after(this.#seen);
    this.#seen = board.posted;
    for (const row of rows) this.#say(rowInWords(row), row.note === undefined ? "info" : "warning");
  }

  #say(line: string, level: LogLevel = "info"): void {
    if (LEVELS.indexOf(level) >= this.#level) this.#write(line);
  }
}

function errorsOf({ hookErrors }: Outcome): string {
  if (hookErrors === undefined) return "";
  return `  (${hookErrors} ${hookErrors === 1 ? "error" : "errors"} of hooks)`;
}

function secondsSince(time: number): string {
  return `${((performance.now() - time) / 1000).toFixed(1)} s`;
}
