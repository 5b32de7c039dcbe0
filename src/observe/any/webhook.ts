import { POSITIVE } from "../../base/check_number.ts";
import type {
  EndContext,
  ExceptionContext,
  MetricsContext,
  TrainingBase,
} from "../../training/stages.ts";
import { TaskQueue, within } from "./task_queue.ts";
import { send } from "./request.ts";
import { checkNumber, checkRequired, checkType, isFunction } from "./hook_options.ts";
import { jsonLine } from "../training/json_line.ts";
import {
  checkMonitor,
  isBetter,
  monitored,
  type MonitorMode,
  type MonitorOptions,
} from "../training/monitored.ts";
import { checkSaved, checkTraining, type HookName } from "../training/training_options.ts";
import { checkUrl } from "./url.ts";

/** Occasions at which {@linkcode Webhook} can post a message. */
export type WebhookOccasion = "training_begin" | "training_end" | "best_model" | "exception";

/** Content of a message of {@linkcode Webhook}. */
export interface WebhookEvent {
  /** Occasion of the message. */
  readonly event: WebhookOccasion;
  /** Text for human readers. */
  readonly text: string;
  /** Name of the trainer. */
  readonly trainer: string;
  /** Number of epochs done before the current one. */
  readonly epoch: number;
  /** Number of steps done. */
  readonly step: number;
}

/** Options of {@linkcode Webhook}. */
export interface WebhookOptions extends MonitorOptions, HookName {
  /** Address to post to. */
  readonly url: string | URL;
  /**
   * Occasions to report.
   *
   * @default ["training_end", "best_model", "exception"]
   */
  readonly notifyOn?: readonly WebhookOccasion[];
  /**
   * Longest time to wait for an answer, and for all answers when the run ends, s.
   *
   * @default 10
   */
  readonly timeout?: number;
  /**
   * Returns the value to post as JSON.
   *
   * @default `{ text }`
   */
  readonly format?: (event: WebhookEvent) => unknown;
}

const NAME = "Webhook";
const OPTIONS = ["url", "notifyOn", "monitor", "mode", "timeout", "format", "name"];
const OCCASIONS: readonly WebhookOccasion[] = [
  "training_begin",
  "training_end",
  "best_model",
  "exception",
];
/** Number of messages that may be queued or in flight. */
const QUEUE_LIMIT = 16;

/**
 * Posts a message when training ends, when a model is better than all before it, and when an error is thrown.
 * Training never waits for answers, except for at most `timeout` seconds when it ends. Failed posts become warnings,
 * which `hooks.list()` counts, and never stop a run.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { Webhook } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertMatch } from "@std/assert";
 *
 * const messages: string[] = [];
 * await using server = Deno.serve({ port: 0, onListen() {} }, async (request) => {
 *   messages.push((await request.json()).text);
 *   return new Response();
 * });
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [0], [1, 1]);
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
 *   hooks: [new Webhook({ url: `http://127.0.0.1:${server.addr.port}` })],
 * });
 * await trainer.train();
 * assertMatch(messages.join(), /^New best model! Epoch 1, val\/loss: 2\.5,Training completed! Best val\/loss: 2\.5/);
 * ```
 */
export class Webhook {
  /** Name of the hook. */
  readonly name: string;
  /** Turns errors into warnings, so that they never stop a run. */
  readonly onError = "warn";
  readonly #url: string | URL;
  readonly #occasions: readonly WebhookOccasion[];
  readonly #monitor: string;
  readonly #mode: MonitorMode;
  readonly #timeout: number;
  readonly #format: (event: WebhookEvent) => unknown;
  #tasks = new TaskQueue("post to the webhook", QUEUE_LIMIT);
  #best = NaN;

  /** Creates the hook; nothing is posted yet. */
  constructor(options: WebhookOptions) {
    checkWebhook(options);
    const { monitor = "val/loss", mode = "min", timeout = 10, url } = options;
    const { notifyOn = ["training_end", "best_model", "exception"] } = options;
    this.name = options.name ?? "webhook";
    this.#url = url;
    this.#occasions = notifyOn;
    this.#monitor = monitor;
    this.#mode = mode;
    this.#timeout = timeout;
    this.#format = options.format ?? (({ text }) => ({ text }));
  }

  /** Starts a new queue of messages. Called by the trainer when a run begins. */
  open(): void {
    this.#tasks = new TaskQueue("post to the webhook", QUEUE_LIMIT);
  }

  /** Reports that training begins. Called by the trainer. */
  onTrainBegin(ctx: TrainingBase): void {
    this.#post(ctx, "training_begin", `Training ${ctx.trainer.name} has begun`);
  }

  /** Compares the model with the best one, if `monitor` is a metric of validation. Called by the trainer. */
  onValidationEnd(ctx: MetricsContext): void {
    if (!this.#isTrainingMetric) this.#compare(ctx);
    this.#tasks.check();
  }

  /** Compares the model with the best one, if `monitor` is a metric of training. Called by the trainer. */
  onEpochEnd(ctx: MetricsContext): void {
    if (this.#isTrainingMetric) this.#compare(ctx);
    this.#tasks.check();
  }

  /** Reports an error. Called by the trainer. */
  onException(ctx: ExceptionContext): void {
    const { error, state, epoch } = ctx;
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#post(ctx, "exception", `Error in epoch ${epoch + 1}, step ${state.step}: ${what}`);
  }

  /** Reports the end of training. Called by the trainer. */
  onTrainEnd(ctx: EndContext): void {
    const { outcome } = ctx;
    const reason = outcome.status === "stopped" ? ` (${outcome.reason})` : "";
    const best = Number.isNaN(this.#best)
      ? ""
      : ` Best ${this.#monitor}: ${fourDigits(this.#best)}`;
    this.#post(ctx, "training_end", `Training ${outcome.status}${reason}!${best}`);
  }

  /** Waits for answers, for at most `timeout` seconds. Called by the trainer. */
  close(): Promise<void> {
    return this.#tasks.finish(this.#timeout);
  }

  /** Returns the state for a checkpoint as plain data. Called by the trainer. */
  save(): { readonly best: number } {
    return { best: this.#best };
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. Called by the trainer. */
  load(state: unknown): void {
    checkSaved(NAME, state, ["best"]);
    this.#best = (state as { readonly best: number }).best;
  }

  get #isTrainingMetric(): boolean {
    return this.#monitor.startsWith("train/");
  }

  #compare(ctx: MetricsContext): void {
    if (ctx.outcome.status !== "completed" || ctx.state.status !== "training") return;
    if (!this.#occasions.includes("best_model") && ctx.metrics[this.#monitor] === undefined) return;
    const value = monitored("report the best model", ctx.metrics, this.#monitor);
    if (!isBetter(value, this.#best, this.#mode)) return;
    this.#best = value;
    const text = `New best model! Epoch ${ctx.epoch + 1}, ${this.#monitor}: ${fourDigits(value)}`;
    this.#post(ctx, "best_model", text);
  }

  #post({ trainer, state, epoch }: TrainingBase, event: WebhookOccasion, text: string): void {
    if (!this.#occasions.includes(event)) return;
    const content = { event, text, trainer: trainer.name, epoch, step: state.step };
    const body = jsonLine(this.#format(content));
    const headers = { "content-type": "application/json" };
    this.#tasks.push((given) =>
      within(
        this.#timeout,
        (signal) => send(this.#url, { method: "POST", headers, body, signal }),
        given,
      )
    );
  }
}

function fourDigits(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function checkWebhook(options: WebhookOptions): void {
  checkTraining(NAME, options, OPTIONS);
  checkRequired(NAME, options, "url", "the address to post to");
  checkUrl(NAME, options, "url");
  checkMonitor(NAME, options);
  checkNumber(NAME, options, "timeout", POSITIVE);
  checkType(NAME, options, "format", "a function", isFunction);
  const areOccasions = (x: unknown) =>
    Array.isArray(x) && x.every((each) => OCCASIONS.includes(each));
  checkType(NAME, options, "notifyOn", `an array of ${OCCASIONS.join(", ")}`, areOccasions);
}
