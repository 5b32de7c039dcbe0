import { POSITIVE, wholeFrom } from "../../base/check_number.ts";
import type { CheckpointContext } from "../../training/stages.ts";
import { complaint } from "../../base/show.ts";
import { type BackgroundTask, pause, TaskQueue, within } from "../any/task_queue.ts";
import { send } from "../any/request.ts";
import { fileSystemFor } from "../any/file_system.ts";
import { checkNumber, checkType, isFunction } from "../any/hook_options.ts";
import { isObject } from "../../base/object.ts";
import { checkTraining, type HookName } from "../training/training_options.ts";
import { checkUrl } from "../any/url.ts";

/** A checkpoint to upload. */
export interface UploadedCheckpoint {
  /** Path of the file. */
  readonly path: string;
  /** Name of the file. */
  readonly name: string;
  /** Number of steps done when the checkpoint was written. */
  readonly step: number;
  /** Number of epochs done when the checkpoint was written. */
  readonly epoch: number;
  /** Signal that aborts when an attempt takes longer than `timeout`. */
  readonly signal: AbortSignal;
}

/** Options of {@linkcode CheckpointUpload}. Exactly one of `to` and `run` is required. */
export interface CheckpointUploadOptions extends HookName {
  /**
   * Address for an HTTP PUT, in which `{name}`, `{step}` and `{epoch}` are replaced.
   *
   * @default undefined
   */
  readonly to?: string;
  /**
   * Headers of the requests.
   *
   * @default {}
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Function that uploads a file, for example by starting a program.
   *
   * @default undefined
   */
  readonly run?: (path: string, checkpoint: UploadedCheckpoint) => void | PromiseLike<void>;
  /**
   * Longest time for one attempt, s.
   *
   * @default 600
   */
  readonly timeout?: number;
  /**
   * Number of further attempts after an error. The waits before them are 0.25 s, 0.5 s, 1 s and so on.
   *
   * @default 2
   */
  readonly retries?: number;
}

const NAME = "CheckpointUpload";
const OPTIONS = ["to", "headers", "run", "timeout", "retries", "name"];
const NAMES: readonly string[] = ["name", "step", "epoch"];
const FIELD = /\{([^{}]*)\}/g;
/** Number of files that may wait in memory before training waits for an upload. */
const QUEUE_LIMIT = 4;

/**
 * Uploads each checkpoint after it was written to disk, one after another, in the background. For an HTTP PUT the
 * file is read at once, so that `ModelCheckpoint` may delete it. `run` receives only the path, and must handle a file
 * that has been deleted in the meantime. The end of a run waits for all uploads. An upload that fails after all
 * attempts is a warning, which `hooks.list()` counts, and never stops a run.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { CheckpointUpload, ModelCheckpoint } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
 * const put: string[] = [];
 * await using server = Deno.serve({ port: 0, onListen() {} }, async (request) => {
 *   await request.bytes();
 *   put.push(`${request.method} ${new URL(request.url).pathname}`);
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
 * const dir = await Deno.makeTempDir();
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data,
 *   optimizers: sgd({ lr: 0.1 }),
 *   hooks: [
 *     new ModelCheckpoint({ dir, saveTopK: 0, saveOnTrainEpochEnd: true, monitor: "train/loss", filename: "e" }),
 *     new CheckpointUpload({ to: `http://127.0.0.1:${server.addr.port}/runs/{step}/{name}` }),
 *   ],
 * });
 * await trainer.train();
 * assertEquals(put, ["PUT /runs/1/last.hooke"]);
 * ```
 */
export class CheckpointUpload {
  /** Name of the hook. */
  readonly name: string;
  /** Turns errors into warnings, so that they never stop a run. */
  readonly onError = "warn";
  readonly #options: CheckpointUploadOptions;
  #tasks = new TaskQueue("upload checkpoints", QUEUE_LIMIT);

  /** Creates the hook; nothing is uploaded yet. */
  constructor(options: CheckpointUploadOptions) {
    checkUpload(options);
    this.name = options.name ?? "checkpoint_upload";
    this.#options = options;
  }

  /** Starts a new queue of uploads. Called by the trainer when a run begins. */
  open(): void {
    this.#tasks = new TaskQueue("upload checkpoints", QUEUE_LIMIT);
  }

  /** Queues the upload of a checkpoint. Called by the trainer. */
  async onCheckpointSave({ path, state }: CheckpointContext): Promise<void> {
    const { run, timeout = 600 } = this.#options;
    // Each queued upload holds its file in memory, so training waits if the queue is full.
    await this.#tasks.room();
    const about = { path, name: path.split(/[/\\]/).at(-1)!, step: state.step };
    const checkpoint = { ...about, epoch: state.currentEpoch };
    const take = run === undefined
      ? await this.#putRequest(checkpoint)
      : async (signal: AbortSignal) => await run(path, { ...checkpoint, signal });
    this.#tasks.push((given) => this.#retry((signal) => within(timeout, take, signal), given));
    this.#tasks.check();
  }

  /** Waits for all uploads. Called by the trainer. */
  close(): Promise<void> {
    return this.#tasks.finish();
  }

  async #putRequest(checkpoint: Omit<UploadedCheckpoint, "signal">): Promise<BackgroundTask> {
    const { to, headers = {} } = this.#options;
    const body = await fileSystemFor(NAME).readFile(checkpoint.path);
    const url = to!.replaceAll(
      FIELD,
      (_, name: keyof typeof checkpoint) => encodeURIComponent(checkpoint[name]),
    );
    return (signal) => send(url, { method: "PUT", body, headers, signal });
  }

  async #retry(task: BackgroundTask, given: AbortSignal): Promise<void> {
    const { retries = 2 } = this.#options;
    for (let failures = 0;; failures++) {
      try {
        return await task(given);
      } catch (error) {
        if (failures >= retries) throw error;
        await pause(250 * 2 ** failures);
      }
    }
  }
}

function checkUpload(options: CheckpointUploadOptions): void {
  checkTraining(NAME, options, OPTIONS);
  checkUrl(NAME, options, "to");
  checkType(NAME, options, "run", "a function", isFunction);
  const areHeaders = (x: unknown) =>
    isObject(x) && Object.values(x).every((each) => typeof each === "string");
  checkType(NAME, options, "headers", "an object of strings", areHeaders);
  checkNumber(NAME, options, "timeout", POSITIVE);
  checkNumber(NAME, options, "retries", wholeFrom(0));
  const { to, run } = options, action = `make a ${NAME}`;
  if ((to === undefined) === (run === undefined)) {
    throw new TypeError(
      complaint(action, 'either "to" or "run" is required, and not both', options),
    );
  }
  for (const [, name] of to?.matchAll(FIELD) ?? []) {
    if (NAMES.includes(name!)) continue;
    const requirement = `names in "to" must be one of ${NAMES.join(", ")}`;
    throw new RangeError(complaint(action, requirement, name, NAMES));
  }
}
