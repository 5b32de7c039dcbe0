/**
 * Trains any ONNX graph, with hooks at every stage.
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
 * A trainer without the hooks of configurations: `Trainer` extends it by these. It trains the model of an ONNX file, keeps
 * parameters, gradients and optimizer state on the device, and fires the stages of a run.
 */
export class TrainerCore<
  const H extends TrainingHooksOf<H> = TrainingHooks,
  const N extends Names = Names,
  const W extends Names = Names,
> implements Workflow, AsyncDisposable, TrainerControl {
  /** Name of the trainer in listings, logs and checkpoints. */
  readonly name: string;
  /** The configuration of the run: the option `config`, or `hooksConfig` of a `Trainer` without it. */
  readonly config: unknown;
  /** The outcome of the last run. */
  outcome: Outcome | undefined;
  readonly #options: TrainerParts;
  readonly #engine: TrainingEngine;
  readonly #calls: TrainerCalls;

  /** Throws a TypeError or RangeError that names the option or hook that is wrong. */
  constructor(options: TrainerOptions<H, N, W>) {
    checkTrainerOptions(options);
    this.#options = options;
    this.name = options.name ?? "trainer";
    this.config = options.config;
    this.#calls = new TrainerCalls(this.name, () => hooksMade(this));
    this.#engine = new TrainingEngine(this, options);
    for (const hook of (options.hooks ?? []) as TrainingHooks) this.hooks.add(hook as never);
  }

  /** The hooks. */
  get hooks(): HookSet<TrainingKind> {
    return this.#engine.loop.hooks;
  }

  /** Number of optimizer steps done, over all runs. */
  get stepCount(): number {
    return this.#engine.loop.stepCount;
  }

  /** The device that it runs on, and why; `undefined` until a GPU is open: `await open()`. */
  get device(): Omit<OpenedDevice, "backend"> | undefined {
    return this.#engine.resources.device;
  }

  /** The live state of the run. */
  get state(): TrainerState {
    return this.#engine.progress;
  }

  /** The trained tensors. Throws an Error if the model is in a file that is not open yet: `await open()`. */
  get parameters(): readonly ParameterInfo[] {
    return this.#engine.resources.parameters;
  }

  /** Reads the model and opens the device, if a run has not done so already. Throws their errors. */
  async open(): Promise<void> {
    await this.#engine.open();
  }

  /**
   * Trains until `epochs` epochs are done over all calls, until `steps` of the options are done, or until something asks
   * to stop. After a stop within an epoch the next call goes on there; after an error it goes on with the step that
   * failed. If that step failed after its update, in a validation or at the end of its epoch, it would run twice: resume
   * from a checkpoint then.
   *
   * @throws {TypeError} if there is no data, or if batches lack an input of the model
   * @throws {Error} the error of a step, or of a hook that decides
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
   * Runs one step over a batch, or over several whose gradients count as those of one. Opens the hooks if they are not
   * open; `close` closes them.
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
   * Measures the loss and the metrics over all batches of some data: `"val/loss"` and so on.
   *
   * @param data by default that of the options
   * @throws {TypeError} if there is no validation data
   * @throws {Error} during a run: hooks ask by `ctx.trainer.validateSoon()`
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

  /** Asks to stop after the current step; the first reason is kept. */
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
   * Runs `work`, such as `saveCheckpoint`, between two steps: as soon as the current step is done, or at once if no
   * step is in progress. The caller gets its errors, and the run goes on. A hook must not await it.
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
   * Returns a copy of a parameter as it is now, of its average if averages are kept, or of its gradient in the last step.
   *
   * @throws {RangeError} if no parameter has that name, if `of` is unknown, or if averages are not kept
   */
  async parameter(name: string, of: ParameterValues = "parameters"): Promise<Float32Array> {
    return await this.#engine.files.parameter(name, of);
  }

  /** Returns the bytes of the trained model as an .onnx file; with `"ema"` that of the averages. */
  async export(of: "parameters" | "ema" = "parameters"): Promise<Uint8Array<ArrayBuffer>> {
    return await this.#engine.files.export(of);
  }

  /** Writes the trained model to a file, whole or not at all. Throws an Error if it cannot be written. */
  async exportTo(path: string | URL, of: "parameters" | "ema" = "parameters"): Promise<void> {
    await this.#engine.files.exportTo(path, of);
  }

  /**
   * Returns everything that bitwise resumption needs: plain data.
   *
   * @throws {Error} within a step: hooks ask by `checkpointSoon`
   */
  async save(): Promise<SavedTrainer> {
    return await this.#engine.files.save();
  }

  /**
   * Restores a result of `save`; hooks are matched by name.
   *
   * @throws {TypeError} if it was not saved by a trainer with these parameters and optimizers
   * @throws {RangeError} if its precision is another
   */
  async load(saved: SavedTrainer): Promise<void> {
    await this.#engine.files.load(saved);
  }

  /** Writes the result of `save` to a file, whole or not at all; then fires CHECKPOINT_SAVE. */
  async saveCheckpoint(path: string | URL): Promise<void> {
    await this.#engine.files.saveCheckpoint(path);
  }

  /**
   * Restores such a file; then fires CHECKPOINT_LOAD.
   *
   * @throws {SyntaxError} if the file is damaged or not a checkpoint
   * @throws {RangeError} if it is of a newer version, or of another precision
   * @throws {TypeError} if it is of another engine, model or optimizer
   */
  async loadCheckpoint(path: string | URL): Promise<void> {
    await this.#engine.files.loadCheckpoint(path);
  }

  /** Closes the hooks if they are open, then model and device: a closed trainer refuses to train. Not during a run. */
  async close(): Promise<void> {
    await this.#calls.close(() => this.#engine.close());
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Runs `work` with the engine in a mode. */
  async #in<T>(mode: RunMode, work: () => Promise<T>): Promise<T> {
    this.#engine.mode = mode;
    try {
      return await work();
    } finally {
      this.#engine.mode = { type: "idle" };
    }
  }
}
