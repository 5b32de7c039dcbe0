import { POSITIVE } from "../../base/check_number.ts";
import type {
  BatchEndContext,
  EndContext,
  StepContext,
  TrainingBase,
} from "../../training/stages.ts";
import type { ScheduleOptions } from "../../hooks/protocol/schedule.ts";
import { complaint } from "../../base/show.ts";
import { TaskQueue, within } from "./task_queue.ts";
import { send } from "./request.ts";
import { checkNumber, checkType } from "./hook_options.ts";
import { jsonLine } from "../training/json_line.ts";
import { checkTraining, type HookName, isPath } from "../training/training_options.ts";
import { checkUrl } from "./url.ts";
import { writeFile } from "./write_file.ts";

/** Options of {@linkcode Heartbeat}. At least one of `path` and `url` is required. */
export interface HeartbeatOptions extends HookName {
  /**
   * File to write.
   *
   * @default undefined: no file is written
   */
  readonly path?: string | URL;
  /**
   * Address that each beat is posted to as JSON.
   *
   * @default undefined: nothing is posted
   */
  readonly url?: string | URL;
  /**
   * Interval between two beats, s.
   *
   * @default 30
   */
  readonly everySeconds?: number;
  /**
   * Longest time to wait for an answer, s.
   *
   * @default 10
   */
  readonly timeout?: number;
}

const NAME = "Heartbeat";

/**
 * Reports that training is alive: writes `time` (ISO 8601), `status`, `step`, `epoch` (from 0) and `loss` as JSON to
 * a file, posts them to a URL, or both. The file is replaced atomically, so that it is always complete.
 *
 * A beat is sent when training begins, after steps and validation batches once `everySeconds` have passed, and when
 * training ends. An old time therefore means that training no longer runs. Training never waits for a beat: a beat is
 * skipped while the one before is in flight. Errors are warnings and never stop a run.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { Heartbeat } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [0], [1, 1]);
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * const path = `${await Deno.makeTempDir()}/heartbeat.json`;
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *     wanted: { data: Float32Array.of(2, 4), dims: [2, 1] },
 *   }, { batchSize: 2 }),
 *   optimizers: sgd({ lr: 0.1 }),
 *   hooks: [new Heartbeat({ path })],
 * });
 * await trainer.train();
 * const { step, status } = JSON.parse(await Deno.readTextFile(path));
 * assertEquals([step, status], [1, "completed"]);
 * ```
 */
export class Heartbeat {
  /** Name of the hook. */
  readonly name: string;
  /** Schedule of the stages in which beats are sent. */
  readonly stageTimes: Readonly<Record<"STEP_END" | "VALIDATION_BATCH_END", ScheduleOptions>>;
  /** Turns errors into warnings, so that they never stop a run. */
  readonly onError = "warn";
  readonly #options: HeartbeatOptions;
  #tasks = new TaskQueue("beat", 2);

  /** Creates the hook; the first beat is sent when training begins. */
  constructor(options: HeartbeatOptions) {
    checkHeartbeat(options);
    const { name = "heartbeat", everySeconds = 30 } = options;
    this.name = name;
    this.stageTimes = { STEP_END: { everySeconds }, VALIDATION_BATCH_END: { everySeconds } };
    this.#options = options;
  }

  /** Starts a new queue of beats. Called by the trainer when a run begins. */
  open(): void {
    this.#tasks = new TaskQueue("beat", 2);
  }

  /** Sends the first beat. Called by the trainer when training begins. */
  onTrainBegin(ctx: TrainingBase): void {
    this.#beat(ctx);
  }

  /** Sends a beat after a step. Called by the trainer. */
  onStepEnd(ctx: StepContext): void {
    this.#beat(ctx);
  }

  /** Sends a beat after a batch of validation. Called by the trainer. */
  onValidationBatchEnd(ctx: BatchEndContext): void {
    this.#beat(ctx);
  }

  /** Sends the last beat. Called by the trainer when training ends. */
  onTrainEnd(ctx: EndContext): void {
    this.#beat(ctx, true);
  }

  /** Waits for the last beat, for at most `timeout` seconds. Called by the trainer. */
  close(): Promise<void> {
    return this.#tasks.finish(this.#options.timeout ?? 10);
  }

  #beat({ state, epoch }: TrainingBase, isLast = false): void {
    const { status, step, latestLoss: loss } = state;
    const body = jsonLine({ time: new Date().toISOString(), status, step, epoch, loss });
    // A slow server must not make old beats pile up: a beat is skipped while one is in flight, except the last.
    if (isLast || this.#tasks.isIdle) this.#tasks.push((given) => this.#send(body, given));
    this.#tasks.check();
  }

  async #send(body: string, given: AbortSignal): Promise<void> {
    const { path, url, timeout = 10 } = this.#options;
    if (path !== undefined) await writeFile(path, `${body}\n`);
    if (url === undefined) return;
    const headers = { "content-type": "application/json" };
    const posting = (signal: AbortSignal) => send(url, { method: "POST", body, headers, signal });
    await within(timeout, posting, given);
  }
}

function checkHeartbeat(options: HeartbeatOptions): void {
  checkTraining(NAME, options, ["path", "url", "everySeconds", "timeout", "name"]);
  checkType(NAME, options, "path", "a path", isPath);
  checkUrl(NAME, options, "url");
  checkNumber(NAME, options, "everySeconds", POSITIVE);
  checkNumber(NAME, options, "timeout", POSITIVE);
  if (options.path !== undefined || options.url !== undefined) return;
  throw new TypeError(complaint(`make a ${NAME}`, "path or url is required", options));
}
