/**
 * The trainer of ONNX graphs, with hooks at every stage.
 *
 * @module
 */

import type { OpenedDevice } from "../backend/open.ts";
import type { Workflow } from "../hooks/protocol/context.ts";
import type { Outcome } from "../hooks/protocol/outcome.ts";
import type { HookSet, Names } from "../hooks/registry/hook_set.ts";
import { checkCount, checkTrainerOptions } from "./check_trainer_options.ts";
import type {
  ParameterInfo,
  ParameterValues,
  TrainerControl,
  TrainerState,
  ValidationData,
} from "./context.ts";
import { type BatchLike, batchOf } from "./data/batches_of.ts";
import { hooksMade } from "./engine/requests.ts";
import { TrainerCalls } from "./engine/trainer_calls.ts";
import { type RunMode, TrainingEngine } from "./engine/training_engine.ts";
import type { SavedTrainer } from "./state/checkpoint.ts";
import type {
  StepResult,
  TrainerOptions,
  TrainerParts,
  TrainingData,
  TrainingHooks,
  TrainingHooksOf,
  TrainingKind,
} from "./trainer_options.ts";

/**
 * A trainer without hooks from configurations, which `Trainer` adds. It trains the model of an ONNX file, keeps
 * parameters, gradients and optimizer state on the device, and fires the stages of a run.
 */
export class TrainerCore<
  const H extends TrainingHooksOf<H> = TrainingHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> implements Workflow, AsyncDisposable, TrainerControl {
  /** Name of the trainer in listings, logs and checkpoints. */
  readonly name: string;
  /** The configuration of the run: the option `config`. For a `Trainer` without that option it is `hooksConfig`. */
  readonly config: unknown;
  /** The outcome of the last run; undefined before it ends. */
  outcome: Outcome | undefined;
  readonly #options: TrainerParts;
  readonly #engine: TrainingEngine;
  readonly #calls: TrainerCalls;

  /** Creates a trainer. Throws a TypeError or RangeError that names the wrong option or hook. */
  constructor(options: TrainerOptions<H, N, W>) {
    checkTrainerOptions(options);
    this.#options = options;
    this.name = options.name ?? "trainer";
    this.config = options.config;
    this.#calls = new TrainerCalls(this.name, () => hooksMade(this));
    this.#engine = new TrainingEngine(this, options);
    for (const hook of (options.hooks ?? []) as TrainingHooks) this.hooks.add(hook as never);
  }

  /** The hooks of the trainer. */
  get hooks(): HookSet<TrainingKind> {
    return this.#engine.loop.hooks;
  }

  /** Number of optimizer steps done, over all runs. */
  get stepCount(): number {
    return this.#engine.loop.stepCount;
  }

  /**
   * The device that the trainer runs on, and the devices that were skipped; `undefined` until a GPU is open, see
   * `open`.
   */
  get device(): Omit<OpenedDevice, "backend"> | undefined {
    return this.#engine.resources.device;
  }

  /** The live state of the run. */
  get state(): TrainerState {
    return this.#engine.progress;
  }

  /** The trained parameters. Throws an Error if the model comes from a file and is not read yet; call `open` first. */
  get parameters(): readonly ParameterInfo[] {
    return this.#engine.resources.parameters;
  }

  /** Reads the model and opens the device, if that was not done before. Rejects with their errors. */
  async open(): Promise<void> {
    await this.#engine.open();
  }

  /**
   * Trains until `epochs` epochs are done over all calls, until the option `steps` is reached, or until a stop is
   * requested. After a stop within an epoch, the next call continues there. After an error, the next call repeats the
   * step that failed. If that step had failed after its update, in a validation or at the end of its epoch, its
   * update would be applied twice: resume from a checkpoint in this case.
   *
   * @throws {TypeError} if there is no training data, or if batches lack an input of the model
   * @throws {Error} if a step fails, or a hook whose errors stop the run; the error itself is thrown
   */
  async train(epochs: number = this.#options.epochs ?? 1): Promise<Outcome> {
    checkCount(`train ${this.name}`, "epochs", epochs, 0);
    const { loop, progress, hasData } = this.#engine;
    if (!hasData) {
      throw new TypeError(
        `Cannot train ${this.name}: data is required: pass { data } to the trainer, or call step(batch)`,
      );
    }
    return await this.#calls.run("train", async () => {
      const isOver = progress.currentEpoch >= epochs;
      const left = Math.max(0, (this.#options.steps ?? Infinity) - this.stepCount);
      try {
        return this.outcome = await this.#in(
          { type: "train", epochs },
          () => loop.run(isOver ? 0 : left),
        );
      } catch (error) {
        this.outcome = loop.warnings.failed(error);
        throw error;
      }
    });
  }

  /**
   * Runs one step over one or more batches, whose gradients are combined as if they were one batch. Opens the hooks
   * if they are not open; `close` closes them.
   */
  async step(...batches: readonly BatchLike[]): Promise<StepResult> {
    if (batches.length === 0) {
      throw new TypeError(
        `Cannot do a step of ${this.name}: a batch is required: pass one or more to step()`,
      );
    }
    const named = { loaderIndex: 0, loaderName: "given" };
    const given = batches.map((batch, i) => ({ batch: batchOf(batch, i), ...named }));
    return await this.#calls.run("step", async () => {
      const { loop } = this.#engine;
      await this.#in({ type: "given", batches: given }, async () => {
        await loop.step();
        await this.#engine.deliverAll();
      });
      const { loss, metrics } = await this.#engine.parts!.steps.results.known;
      const result = { loss, metrics, skipped: loop.context.skipped === true };
      await this.#engine.betweenSteps();
      return result;
    });
  }

  /** The same as `step`. */
  trainingStep(...batches: readonly BatchLike[]): Promise<StepResult> {
    return this.step(...batches);
  }

  /**
   * Measures the loss and the metrics over all batches of validation data. Returns them by name, such as
   * `"val/loss"`.
   *
   * @param data the validation data; by default those of the options
   * @throws {TypeError} if there are no validation data
   * @throws {Error} if a run is in progress; hooks use `ctx.trainer.validateSoon()` instead
   */
  async validate(
    data: TrainingData | undefined = this.#options.validation,
  ): Promise<Readonly<Record<string, number>>> {
    if (data === undefined) {
      throw new TypeError(
        `Cannot validate ${this.name}: data is required: pass it to validate(), or { validation } to the trainer`,
      );
    }
    return await this.#calls.run("validate", async () => {
      const { validation, settings } = await this.#engine.open();
      return await validation.runByHand(data, await settings.get());
    });
  }

  /** Requests that the run stops after the current step. Only the first reason is kept. */
  stop(reason: string): void {
    this.#engine.loop.stop(reason);
  }

  /** Registers a hook: the same as `hooks.add`. */
  readonly addHook: HookSet<TrainingKind>["add"] = (hook, options) =>
    this.hooks.add(hook as never, options);

  /** Removes a hook. Throws a RangeError for an unknown name. */
  removeHook(name: string): void {
    this.hooks.remove(name);
  }

  /** Enables a hook. Throws a RangeError for an unknown name. */
  enableHook(name: string): void {
    this.hooks.enable(name);
  }

  /** Disables a hook, without removing it. Throws a RangeError for an unknown name. */
  disableHook(name: string): void {
    this.hooks.disable(name);
  }

  /**
   * Runs `work`, such as `saveCheckpoint`, between two steps: after the current step, or at once if no step is in
   * progress. Errors of `work` reject the returned promise, and the run continues. A hook must not await the promise.
   */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return this.#engine.loop.betweenSteps(work);
  }

  /** See {@linkcode TrainerControl.checkpointSoon}. */
  checkpointSoon(path: string, weights?: "onnx"): void {
    this.#engine.requests.files.push({ path, weights });
  }

  /** See {@linkcode TrainerControl.validateSoon}. */
  validateSoon(data?: ValidationData): void {
    this.#engine.requests.validate(data);
  }

  /**
   * Returns a copy of a parameter, of its moving average, or of its gradient in the last step.
   *
   * @throws {RangeError} if no parameter has that name, if `of` is unknown, or if averages are not kept
   */
  async parameter(name: string, of: ParameterValues = "parameters"): Promise<Float32Array> {
    return await this.#engine.files.parameter(name, of);
  }

  /** Returns the bytes of the trained model as an .onnx file. With `"ema"` its parameters are the moving averages. */
  async export(of: "parameters" | "ema" = "parameters"): Promise<Uint8Array<ArrayBuffer>> {
    return await this.#engine.files.export(of);
  }

  /** Writes the trained model to an .onnx file, atomically. Throws an Error if the file cannot be written. */
  async exportTo(path: string | URL, of: "parameters" | "ema" = "parameters"): Promise<void> {
    await this.#engine.files.exportTo(path, of);
  }

  /**
   * Returns the state of the trainer as plain data, from which a run resumes with bitwise identical results.
   *
   * @throws {Error} if a step is in progress; hooks use `checkpointSoon` instead
   */
  async save(): Promise<SavedTrainer> {
    return await this.#engine.files.save();
  }

  /**
   * Restores a result of `save`. The state of hooks is matched by their names.
   *
   * @throws {TypeError} if the state was saved by a trainer with other parameters or optimizers
   * @throws {RangeError} if the state was saved in another precision
   */
  async load(saved: SavedTrainer): Promise<void> {
    await this.#engine.files.load(saved);
  }

  /** Writes the result of `save` to a file, atomically, then fires CHECKPOINT_SAVE. */
  async saveCheckpoint(path: string | URL): Promise<void> {
    await this.#engine.files.saveCheckpoint(path);
  }

  /**
   * Restores the state from a file of `saveCheckpoint`, then fires CHECKPOINT_LOAD.
   *
   * @throws {SyntaxError} if the file is damaged or not a checkpoint
   * @throws {RangeError} if the file has a newer version, or another precision
   * @throws {TypeError} if the file belongs to another kind of engine, or to other parameters or optimizers
   */
  async loadCheckpoint(path: string | URL): Promise<void> {
    await this.#engine.files.loadCheckpoint(path);
  }

  /**
   * Closes the hooks if they are open, then the model and the device. A closed trainer cannot train. Throws an Error
   * during a run.
   */
  async close(): Promise<void> {
    await this.#calls.close(() => this.#engine.close());
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Sets the mode of the engine to `mode` while `work` runs, and to `"idle"` afterwards. */
  async #in<T>(mode: RunMode, work: () => Promise<T>): Promise<T> {
    this.#engine.mode = mode;
    try {
      return await work();
    } finally {
      this.#engine.mode = { type: "idle" };
    }
  }
}
