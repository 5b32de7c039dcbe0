import { POSITIVE } from "../../base/check_number.ts";
import type {
  EndContext,
  ExceptionContext,
  MetricsContext,
  TrainingBase,
} from "../../training/stages.ts";
import { Errands, within } from "./background_tasks.ts";
import { send } from "./request.ts";
import { checkGiven, checkNumber, checkType, isFunction } from "./hook_options.ts";
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

/** What somebody may want to be told. */
export type WebhookOccasion = "training_begin" | "training_end" | "best_model" | "exception";

/** What is told. */
export interface WebhookEvent {
  /** What has happened. */
  readonly event: WebhookOccasion;
  /** That in words. */
  readonly text: string;
  /** What the trainer is called. */
  readonly trainer: string;
  /** Epochs done before this one. */
  readonly epoch: number;
  /** Steps done. */
  readonly step: number;
}

/** What a {@linkcode Webhook} is told. */
export interface WebhookOptions extends MonitorOptions, HookName {
  /** Where it is posted to. */
  readonly url: string | URL;
  /**
   * What is posted.
   *
   * @default ["training_end", "best_model", "exception"]
   */
  readonly notifyOn?: readonly WebhookOccasion[];
  /**
   * How long an answer may take, and how long the end of a run waits for answers, s.
   *
   * @default 10
   */
  readonly timeout?: number;
  /**
   * What is posted as JSON.
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
/** So many messages may wait for an answer to the first. */
const MOST_WAITING = 16;

/**
 * Posts a message when training has ended, a model is better than all before it, or something was thrown. Training never
 * waits for it, but for at most `timeout` seconds when it is over; what cannot be posted is a warning, counted in
 * `hooks.list()`, and never stops a run.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { Webhook } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertMatch } from "@std/assert";
 *
 * const told: string[] = [];
 * await using server = Deno.serve({ port: 0, onListen() {} }, async (request) => {
 *   told.push((await request.json()).text);
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
 *   ...{ model: builder.build(), loss: meanSquaredError({ target: "wanted" }), data },
 *   ...{ validation: data, optimizers: sgd({ lr: 0.1 }) },
 *   hooks: [new Webhook({ url: `http://127.0.0.1:${server.addr.port}` })],
 * });
 * await trainer.train();
 * assertMatch(told.join(), /^New best model! Epoch 1, val\/loss: 2\.5,Training completed! Best val\/loss: 2\.5/);
 * ```
 */
export class Webhook {
  /** What it is called. */
  readonly name: string;
  /** Nothing of it stops a run. */
  readonly onError = "warn";
  readonly #url: string | URL;
  readonly #occasions: readonly WebhookOccasion[];
  readonly #monitor: string;
  readonly #mode: MonitorMode;
  readonly #timeout: number;
  readonly #format: (event: WebhookEvent) => unknown;
  #errands = new Errands("post to the webhook", MOST_WAITING);
  #best = NaN;

  /** Posts nothing yet. */
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

  /** A run begins. Called by the trainer. */
  open(): void {
    this.#errands = new Errands("post to the webhook", MOST_WAITING);
  }

  /** Training begins. Called by the trainer. */
  onTrainBegin(ctx: TrainingBase): void {
    this.#post(ctx, "training_begin", `Training ${ctx.trainer.name} has begun`);
  }

  /** Compares models. Called by the trainer. */
  onValidationEnd(ctx: MetricsContext): void {
    if (!this.#isOfTraining) this.#compare(ctx);
    this.#errands.check();
  }

  /** The same. Called by the trainer. */
  onEpochEnd(ctx: MetricsContext): void {
    if (this.#isOfTraining) this.#compare(ctx);
    this.#errands.check();
  }

  /** Something was thrown. Called by the trainer. */
  onException(ctx: ExceptionContext): void {
    const { error, state, epoch } = ctx;
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.#post(ctx, "exception", `Error in epoch ${epoch + 1}, step ${state.step}: ${what}`);
  }

  /** Training is over. Called by the trainer. */
  onTrainEnd(ctx: EndContext): void {
    const { outcome } = ctx;
    const reason = outcome.status === "stopped" ? ` (${outcome.reason})` : "";
    const best = Number.isNaN(this.#best) ? "" : ` Best ${this.#monitor}: ${shortly(this.#best)}`;
    this.#post(ctx, "training_end", `Training ${outcome.status}${reason}!${best}`);
  }

  /** Waits for answers, as long as `timeout` says. Called by the trainer. */
  close(): Promise<void> {
    return this.#errands.finish(this.#timeout);
  }

  /** What a checkpoint keeps: plain data. Called by the trainer. */
  save(): { readonly best: number } {
    return { best: this.#best };
  }

  /** Goes on where `save` was called. Throws a TypeError for what it did not give. Called by the trainer. */
  load(state: unknown): void {
    checkSaved(NAME, state, ["best"]);
    this.#best = (state as { readonly best: number }).best;
  }

  get #isOfTraining(): boolean {
    return this.#monitor.startsWith("train/");
  }

  #compare(ctx: MetricsContext): void {
    if (ctx.outcome.status !== "completed" || ctx.state.status !== "training") return;
    if (!this.#occasions.includes("best_model") && ctx.metrics[this.#monitor] === undefined) return;
    const value = monitored("tell of the best model", ctx.metrics, this.#monitor);
    if (!isBetter(value, this.#best, this.#mode)) return;
    this.#best = value;
    const text = `New best model! Epoch ${ctx.epoch + 1}, ${this.#monitor}: ${shortly(value)}`;
    this.#post(ctx, "best_model", text);
  }

  #post({ trainer, state, epoch }: TrainingBase, event: WebhookOccasion, text: string): void {
    if (!this.#occasions.includes(event)) return;
    const told = { event, text, trainer: trainer.name, epoch, step: state.step };
    const body = jsonLine(this.#format(told));
    const headers = { "content-type": "application/json" };
    this.#errands.push((given) =>
      within(
        this.#timeout,
        (signal) => send(this.#url, { method: "POST", headers, body, signal }),
        given,
      )
    );
  }
}

function shortly(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function checkWebhook(options: WebhookOptions): void {
  checkTraining(NAME, options, OPTIONS);
  checkGiven(NAME, options, "url", "where it posts to");
  checkUrl(NAME, options, "url");
  checkMonitor(NAME, options);
  checkNumber(NAME, options, "timeout", POSITIVE);
  checkType(NAME, options, "format", "a function", isFunction);
  const areOccasions = (x: unknown) =>
    Array.isArray(x) && x.every((each) => OCCASIONS.includes(each));
  checkType(NAME, options, "notifyOn", `an array of ${OCCASIONS.join(", ")}`, areOccasions);
}
