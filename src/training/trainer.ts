/**
 * Trains any ONNX graph, with hooks at every stage.
 *
 * @module
 */

import type { Backend } from "../backend/backend.ts";
import { openBackend, openDevice } from "../backend/open.ts";
import { readCheckpoint, writeCheckpoint, writeWhole } from "../checkpoint/mod.ts";
import type { Workflow } from "../hooks/context.ts";
import type { AddOptions } from "../hooks/entry.ts";
import type { Lifecycle } from "../hooks/lifecycle.ts";
import { Loop } from "../hooks/loop.ts";
import type { Outcome } from "../hooks/outcome.ts";
import type { HookOptions } from "../hooks/protocol.ts";
import type { Accept, HookHandle, HookSet } from "../hooks/registry.ts";
import { loadWhole } from "../onnx/load_whole.ts";
import {
  assertSaved,
  CHECKPOINT_KIND,
  loadModel,
  type SavedTrainer,
  saveModel,
  SCHEMA,
} from "./checkpoint.ts";
import type { ParameterInfo, TrainerControl, TrainerState } from "./context.ts";
import { batchOf } from "./data/batches_of.ts";
import type { BatchLike } from "./data/batches_of.ts";
import { interleave } from "./data/interleave.ts";
import type { NamedBatch, NamedData } from "./data/named_data.ts";
import { EpochReader } from "./epochs.ts";
import { TrainingFieldSource } from "./fields.ts";
import { Observed } from "./observed.ts";
import { type LoadedBytes, type ModelPlan, OpenedModel, planModel } from "./opened_model.ts";
import { Progress } from "./progress.ts";
import { type MergedSettings, mergeSettings } from "./settings.ts";
import { TrainingStage } from "./stages.ts";
import {
  checkCount,
  checkTrainerOptions,
  type TrainerOptions,
  type TrainerParts,
  type TrainingData,
  type TrainingHooks,
  type TrainingKind,
} from "./trainer_options.ts";
import { type StepHost, TrainingSteps } from "./training_step.ts";
import { Validation } from "./validation.ts";

/** What a step came to. */
export interface StepResult {
  /** The loss of its last batch. */
  readonly loss: number;
  /** That, its terms, and what is measured. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Whether a gate vetoed it. */
  readonly skipped: boolean;
}

/** A file to be written between two steps. */
interface Wanted {
  readonly path: string;
  readonly weights: "onnx" | undefined;
}

/**
 * Trains a model in an ONNX file: its tensors of float32 are the parameters, the loss is written into its graph, and the
 * graph is differentiated. Parameters, gradients and what optimizers keep stay on the device.
 *
 * A run: TRAIN_BEGIN; for each epoch EPOCH_BEGIN, its batches, validation, EPOCH_END; TRAIN_END. A batch: BATCH_BEGIN,
 * BEFORE_FORWARD, AFTER_FORWARD, AFTER_LOSS, BEFORE_BACKWARD, AFTER_BACKWARD, with the last batch of a step the update,
 * BATCH_END. The update: GRADIENT_CLIP, for each optimizer BEFORE_OPTIMIZER_STEP and AFTER_OPTIMIZER_STEP, then
 * STEP_END. What has begun ends, whatever happens, and says how.
 *
 * The same seeds give the same bits, whoever looks on, stopped and resumed or not.
 *
 * @example Fit a line
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertAlmostEquals } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const x = builder.input("x", "f32", ["B", 1]);
 * const w = builder.parameter("w", [0], [1, 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 *
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2, 3, 4), dims: [4, 1] },
 *     wanted: { data: Float32Array.of(2, 4, 6, 8), dims: [4, 1] },
 *   }, { batchSize: 2, seed: 1 }),
 *   optimizers: sgd({ lr: 0.05 }),
 *   epochs: 20,
 * });
 * await trainer.train();
 * assertAlmostEquals((await trainer.parameter("w"))[0]!, 2, 1e-4);
 * ```
 */
export class Trainer<const H extends TrainingHooks = TrainingHooks>
  implements Workflow, AsyncDisposable, TrainerControl {
  /** What it is called in listings, logs and checkpoints. */
  readonly name: string;
  /** How the last run ended. */
  outcome: Outcome | undefined;
  readonly #options: TrainerParts;
  readonly #loop: Loop<TrainingKind>;
  readonly #progress: Progress;
  readonly #observed = new Observed();
  readonly #data: NamedData | undefined;
  #plan: ModelPlan | undefined;
  #backend: Backend | undefined;
  #opened: Promise<void> | undefined;
  #host: StepHost | undefined;
  #steps: TrainingSteps | undefined;
  #validation: Validation | undefined;
  #settings: MergedSettings | undefined;
  #reader: EpochReader | undefined;
  #isEpochOpen = false;
  #isTraining = false;
  /** Batches of a step by hand. */
  #given: readonly NamedBatch[] | undefined;
  #epochs = 1;
  readonly #wanted: Wanted[] = [];
  #wantsValidation = false;

  /** Throws a TypeError or RangeError that names the option or hook that is wrong. */
  constructor(options: TrainerOptions<H>) {
    checkTrainerOptions(options);
    this.#options = options;
    this.name = options.name ?? "trainer";
    const { model, data, loaderOrder = "sequential" } = options;
    this.#data = data === undefined ? undefined : interleave(data, { order: loaderOrder });
    const { device = "wasm" } = options;
    if (device === "wasm" || device === "reference") this.#backend = openBackend(device);
    if (model instanceof Uint8Array) {
      this.#plan = planModel({ bytes: model, name: this.name }, options);
    }
    this.#progress = this.#makeProgress();
    this.#loop = this.#makeLoop();
    this.#loop.hooks.subscribe(() => this.#settings = undefined);
    for (const hook of (options.hooks ?? []) as TrainingHooks) this.#loop.hooks.add(hook as never);
  }

  /** The hooks. */
  get hooks(): HookSet<TrainingKind> {
    return this.#loop.hooks;
  }

  /** Optimizer steps done, over all runs. */
  get stepCount(): number {
    return this.#loop.stepCount;
  }

  /** What is known of the run, live. */
  get state(): TrainerState {
    return this.#progress;
  }

  /** The tensors that are trained. Throws an Error where the model is in a file that nobody has opened: `await open()`. */
  get parameters(): readonly ParameterInfo[] {
    const { places, owners } = this.#planned;
    return places.map(({ name, dims, size }, i) => ({ name, dims, size, optimizer: owners[i]! }));
  }

  /** Reads the model and opens the device, where a run has not done so. Throws what that throws. */
  open(): Promise<void> {
    if (this.#opened === undefined) {
      this.#opened = this.#open();
      this.#opened.catch(() => this.#opened = undefined); // the next try may do better
    }
    return this.#opened;
  }

  /**
   * Trains until `epochs` epochs are done over all calls, `steps` of the options are, or something asked to stop. Stopped
   * in mid-epoch, the next call goes on there.
   *
   * @throws {TypeError} where there is no data, and for batches that lack what the model needs
   * @throws {DivergedError | Error} what a step, or a hook that decides, has thrown
   */
  async train(epochs: number = this.#options.epochs ?? 1): Promise<Outcome> {
    checkCount(`train ${this.name}`, "epochs", epochs, 0);
    if (this.#data === undefined) {
      throw new TypeError(`Cannot train ${this.name} as it must have data: current value is none`);
    }
    this.#epochs = epochs;
    const isOver = this.#progress.currentEpoch >= epochs;
    const left = Math.max(0, (this.#options.steps ?? Infinity) - this.stepCount);
    this.#isTraining = true;
    try {
      return this.outcome = await this.#loop.run(isOver ? 0 : left);
    } catch (error) {
      this.outcome = { status: "failed", error };
      throw error;
    } finally {
      this.#isTraining = false;
    }
  }

  /**
   * One step over a batch, or over several whose gradients count as those of one; opens the hooks if they are not open.
   * `close`, or leaving an `await using` block, closes them.
   */
  async step(...batches: readonly BatchLike[]): Promise<StepResult> {
    if (batches.length === 0) {
      throw new TypeError(
        `Cannot do a step of ${this.name} as there must be a batch: there is none`,
      );
    }
    this.#given = batches.map((batch, i) => ({
      ...{ batch: batchOf(batch, i), loaderIndex: 0, loaderName: "given" },
    }));
    await this.#loop.step();
    await this.#steps!.settle();
    const { loss, metrics, skipped } = this.#loop.context;
    return { loss: loss ?? NaN, metrics: metrics ?? {}, skipped: skipped === true };
  }

  /** The same as `step`. */
  trainingStep(...batches: readonly BatchLike[]): Promise<StepResult> {
    return this.step(...batches);
  }

  /**
   * Measures the loss, and what else is measured, over all batches of some data: `"val/loss"` and the like.
   *
   * @param data left out, that of the options
   * @throws {TypeError} where there is none
   */
  async validate(
    data: TrainingData | undefined = this.#options.validation,
  ): Promise<Readonly<Record<string, number>>> {
    if (data === undefined) {
      throw new TypeError(
        `Cannot validate ${this.name} as it must have data for it: current value is none`,
      );
    }
    await this.open();
    return await this.#validation!.run(data, await this.#follow());
  }

  /** Asks to stop after the step under way; the first reason is kept. */
  stop(reason: string): void {
    this.#loop.stop(reason);
  }

  /** Registers a hook: the same as `hooks.add`. */
  addHook<const T extends object>(
    hook: (T | (Lifecycle<TrainingKind> & HookOptions)) & Accept<TrainingKind, T>,
    options?: AddOptions,
  ): HookHandle {
    return this.#loop.hooks.add(hook as never, options);
  }

  /** Takes a hook out. Throws a RangeError for an unknown name. */
  removeHook(name: string): void {
    this.#loop.hooks.remove(name);
  }

  /** Lets a hook run again. Throws a RangeError for an unknown name. */
  enableHook(name: string): void {
    this.#loop.hooks.enable(name);
  }

  /** Keeps a hook from running, without removing it. Throws a RangeError for an unknown name. */
  disableHook(name: string): void {
    this.#loop.hooks.disable(name);
  }

  /**
   * Does something between two steps, such as `saveCheckpoint`: as soon as the step under way is done, and at once where
   * there is none. What it throws is the caller's: the run goes on. A hook must not await it.
   */
  betweenSteps<T>(work: () => T | PromiseLike<T>): Promise<T> {
    return this.#loop.betweenSteps(work);
  }

  /** See {@linkcode TrainerControl.checkpointSoon}. */
  checkpointSoon(path: string, weights?: "onnx"): void {
    this.#wanted.push({ path, weights });
  }

  /** See {@linkcode TrainerControl.validateSoon}. */
  validateSoon(): void {
    this.#wantsValidation = true;
  }

  /**
   * A copy of a parameter as it is now, or of its average where those are kept.
   *
   * @throws {RangeError} for a name that no parameter has
   */
  async parameter(name: string, of: "parameters" | "ema" = "parameters"): Promise<Float32Array> {
    await this.open();
    const { arena } = this.#host!.model;
    const place = arena.places.find((place) => place.name === name);
    if (place === undefined) {
      throw new RangeError(
        `Cannot read parameter ${JSON.stringify(name)} as it must be one of ${
          arena.places.map(({ name }) => name).join(", ")
        }`,
      );
    }
    const all = await arena.backend.read(arena.array(of));
    return Float32Array.from(all.subarray(place.from, place.from + place.size));
  }

  /** The trained model as the bytes of an .onnx file; with `"ema"` that of the averages. */
  async export(of: "parameters" | "ema" = "parameters"): Promise<Uint8Array<ArrayBuffer>> {
    await this.open();
    return await this.#host!.model.export(of);
  }

  /** Writes the trained model to a file, which is there whole or not at all. Throws an Error when it cannot be written. */
  async exportTo(path: string | URL, of: "parameters" | "ema" = "parameters"): Promise<void> {
    await writeWhole(path, await this.export(of), "model");
  }

  /** All that it needs to go on to the bit: plain data. To be called between steps. */
  async save(): Promise<SavedTrainer> {
    await this.open();
    await this.#steps!.settle();
    const { model, optimizers } = this.#host!;
    return {
      ...await saveModel(model, optimizers),
      progress: this.#progress.save(),
      loop: this.#loop.save(),
    };
  }

  /**
   * Goes on where `save` was called; hooks are matched by name.
   *
   * @throws {TypeError} for what no trainer with these parameters and optimizers has saved
   * @throws {RangeError} for another precision
   */
  async load(saved: SavedTrainer): Promise<void> {
    await this.open();
    const { model, optimizers } = this.#host!;
    assertSaved(this.name, model, optimizers, saved);
    this.#loop.load(saved.loop);
    loadModel(model, optimizers, saved);
    this.#progress.load(saved.progress);
    await this.#dropEpoch();
  }

  /** Writes what `save` gives to a file, which is there whole or not at all; then CHECKPOINT_SAVE. */
  async saveCheckpoint(path: string | URL): Promise<void> {
    const data = await this.save();
    await writeCheckpoint(path, { kind: CHECKPOINT_KIND, schema: SCHEMA, data });
    await this.#fireAt(TrainingStage.CHECKPOINT_SAVE, path);
  }

  /**
   * Goes on from such a file; then CHECKPOINT_LOAD.
   *
   * @throws {SyntaxError} for a file that is damaged or is no checkpoint
   * @throws {RangeError} for one of a newer version, or of another precision
   * @throws {TypeError} for one of another engine, model or optimizer
   */
  async loadCheckpoint(path: string | URL): Promise<void> {
    const { data } = await readCheckpoint(path, { kind: CHECKPOINT_KIND, schema: SCHEMA });
    await this.load(data as SavedTrainer);
    await this.#fireAt(TrainingStage.CHECKPOINT_LOAD, path);
  }

  /** Closes the hooks, if they are open, and gives model and device back. Not while it is running. */
  async close(): Promise<void> {
    try {
      await this.#loop.close();
    } finally {
      await this.#dropEpoch();
      await this.#opened?.catch(() => {});
      await this.#host?.model.close();
      if (this.#backend?.isHost === false) this.#backend.dispose();
      this.#opened = this.#host = undefined;
    }
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #planned(): ModelPlan {
    if (this.#plan !== undefined) return this.#plan;
    throw new Error(
      `Cannot tell the parameters of ${this.name} as its model must be read: await open() first`,
    );
  }

  #makeProgress(): Progress {
    const planned = () => this.#plan, backend = () => this.#backend;
    const { device = "wasm" } = this.#options, steps = () => this.stepCount, { name } = this;
    return new Progress({
      get model() {
        return planned()?.loaded.name ?? name;
      },
      get optimizer() {
        return planned()?.optimizers ?? [];
      },
      get device() {
        return backend()?.name ?? device;
      },
      get modelParams() {
        return planned()?.initial.length ?? 0;
      },
      get step() {
        return steps();
      },
    });
  }

  #makeLoop(): Loop<TrainingKind> {
    const { signal, onWarning, verify } = this.#options;
    const moment = this.#moment();
    const loop = new Loop<TrainingKind>({
      kinds: TrainingStage,
      name: this.name,
      workflow: this,
      context: { epoch: 0, phase: "train", state: this.#progress, trainer: this },
      state: new TrainingFieldSource(moment, () => this.#backend?.isHost ?? false),
      begin: () => this.#begin(),
      step: () => this.#step(),
      end: () => this.#end(),
      settled: () => this.#finish(),
      recover: (error: unknown) => this.#failed(error),
      ...(signal && { signal }),
      ...(onWarning && { onWarning }),
      ...(verify && { verify }),
    });
    const planned = () => this.#plan;
    Object.defineProperties(loop.context, {
      optimizers: { get: () => planned()?.optimizers ?? [], enumerable: true },
      lrSchedulers: {
        get: () => planned()?.optimizers.map(({ schedule }) => schedule) ?? [],
        enumerable: false,
      },
      // Found when asked for: most hooks do not.
      gradNorm: { get: () => moment.gradNorm, enumerable: false },
      gradients: { get: () => this.#gradients(), enumerable: false },
    });
    return loop;
  }

  #moment(): ConstructorParameters<typeof TrainingFieldSource>[0] {
    const steps = () => this.#steps, progress = () => this.#progress, planned = () => this.#plan;
    const host = () => this.#host, observed = this.#observed, { name } = this;
    return {
      get arena() {
        const opened = host();
        if (opened !== undefined) return opened.model.arena;
        throw new Error(`Cannot read the state of ${name} as its model must be open: run it first`);
      },
      get loss() {
        return progress().latestLoss;
      },
      get gradNorm() {
        return steps()?.norm ?? NaN;
      },
      get lr() {
        return planned()?.optimizers[0]?.groups[0]?.lr ?? NaN;
      },
      get optimizers() {
        return planned()?.optimizers ?? [];
      },
      seen: (field) => observed.get(field),
    };
  }

  #gradients(): ReadonlyMap<string, Float32Array> {
    const { arena } = this.#host!.model;
    if (!arena.backend.isHost) {
      throw new TypeError(
        'Cannot read gradients as they must be declared where they are on a GPU, reads: ["gradients"]: they are not',
      );
    }
    const all = arena.backend.view(arena.array("gradients"));
    return new Map(arena.places.map(({ name, from, size }) => [
      name,
      all.subarray(from, from + size) as Float32Array,
    ]));
  }

  async #open(): Promise<void> {
    const options = this.#options;
    if (this.#plan === undefined) {
      const loaded: LoadedBytes = await loadWhole(options.model, {
        ...(options.signal && { signal: options.signal }),
      });
      this.#plan = planModel(loaded, options);
    }
    this.#backend ??= (await openDevice(options.device ?? "wasm")).backend;
    const plan = this.#plan, model = new OpenedModel(plan, this.#backend, options);
    if (options.ema !== undefined) model.updates.copy("parameters", "ema");
    this.#host = {
      ...{ loop: this.#loop, context: this.#loop.context, model, data: this.#data },
      ...{ optimizers: plan.optimizers, owners: plan.owners },
      ...{ progress: this.#progress, observed: this.#observed },
    };
    this.#steps = new TrainingSteps(this.#host);
    this.#validation = new Validation(this.#host, this.#steps);
    this.#loop.hooks.replan();
  }

  /** What trainer and hooks ask for now; graphs are built anew where they must be. */
  async #follow(): Promise<MergedSettings> {
    if (this.#settings === undefined) {
      const { model } = this.#host!;
      const settings = mergeSettings(this.#options, this.#loop.hooks.enabled());
      if (await model.follow(settings)) this.#steps!.reset();
      if (settings.ema !== undefined && !model.arena.has("ema")) {
        model.updates.copy("parameters", "ema");
      }
      this.#settings = settings;
    }
    return this.#settings;
  }

  async #begin(): Promise<void> {
    await this.open();
    await this.#follow();
    this.#steps!.schedule(this.stepCount);
    if (this.#given !== undefined || !this.#isTraining) return;
    this.#progress.status = "training";
    await this.#loop.fire(TrainingStage.TRAIN_BEGIN);
  }

  async #step(): Promise<void> {
    const given = this.#given;
    this.#given = undefined;
    if (given !== undefined) return await this.#steps!.step(given, await this.#follow());
    await this.#between();
    const settings = await this.#follow();
    const reader = this.#reader ?? await this.#beginEpoch();
    const parts = await reader.take(settings.accumulate);
    await this.#steps!.step(parts, settings);
    const every = this.#options.validateEvery?.steps;
    if (every !== undefined && (this.stepCount + 1) % every === 0) await this.#validateIfAny();
    if (await reader.isDone()) await this.#endEpoch();
  }

  async #beginEpoch(): Promise<EpochReader> {
    const { currentEpoch: epoch, currentBatchIdx: from } = this.#progress;
    const reader = new EpochReader(this.#data!, epoch, from);
    if (await reader.isDone()) {
      await reader.close();
      throw new RangeError(
        `Cannot train ${this.name} as each epoch must have a batch: epoch ${epoch} has ${
          from === 0 ? "none" : `none after ${from}`
        }`,
      );
    }
    this.#reader = reader;
    if (from === 0) this.#progress.tally.load({});
    this.#loop.context.epoch = epoch;
    this.#isEpochOpen = true;
    await this.#loop.fire(TrainingStage.EPOCH_BEGIN);
    return reader;
  }

  async #endEpoch(): Promise<void> {
    const progress = this.#progress, { epochs: every = 1 } = this.#options.validateEvery ?? {};
    await this.#steps!.settle();
    const isDue = every > 0 && (progress.currentEpoch + 1) % every === 0;
    const validated = isDue ? await this.#validateIfAny() : undefined;
    const measured = await this.#host!.model.runner.measured();
    const metrics = { ...progress.tally.metrics(measured, "train/"), ...validated };
    Object.assign(progress.metrics, metrics);
    if (validated === undefined) this.#observe(metrics);
    await this.#closeEpoch({ status: "completed" }, metrics);
    this.#loop.advance("epoch");
    progress.currentEpoch++;
    progress.currentBatchIdx = 0;
    this.#loop.context.epoch = progress.currentEpoch;
    this.#reader = undefined;
    if (progress.currentEpoch >= this.#epochs) this.#loop.done();
  }

  async #closeEpoch(outcome: Outcome, metrics: Readonly<Record<string, number>>): Promise<void> {
    if (!this.#isEpochOpen) return;
    this.#isEpochOpen = false;
    Object.assign(this.#loop.context, { outcome, metrics });
    await this.#loop.fire(TrainingStage.EPOCH_END);
  }

  async #validateIfAny(): Promise<Readonly<Record<string, number>> | undefined> {
    const { validation } = this.#options;
    if (validation === undefined) return undefined;
    const metrics = await this.#validation!.run(validation, await this.#follow());
    this.#observe({ ...this.#progress.metrics, ...metrics });
    return metrics;
  }

  /** Tells schedules what was measured. */
  #observe(metrics: Readonly<Record<string, number>>): void {
    for (const schedule of new Set(this.#plan!.optimizers.map(({ schedule }) => schedule))) {
      schedule.observe?.(metrics);
    }
  }

  /** What hooks have asked for, between two steps. */
  async #between(): Promise<void> {
    if (this.#wantsValidation) {
      this.#wantsValidation = false;
      await this.#validateIfAny();
    }
    while (this.#wanted.length > 0) {
      const { path, weights } = this.#wanted.shift()!;
      if (weights === undefined) await this.saveCheckpoint(path);
      else {
        await this.exportTo(path);
        await this.#fireAt(TrainingStage.CHECKPOINT_SAVE, path);
      }
    }
  }

  async #fireAt(
    stage: typeof TrainingStage.CHECKPOINT_SAVE | typeof TrainingStage.CHECKPOINT_LOAD,
    path: string | URL,
  ): Promise<void> {
    this.#loop.context.path = String(path);
    await this.#loop.fire(stage);
  }

  /** After the last step of a run. */
  async #end(): Promise<void> {
    await this.#steps?.settle();
    if (this.#isTraining) await this.#between();
  }

  /** When all of a run is done. */
  async #finish(): Promise<void> {
    if (!this.#isTraining) return;
    await this.#closeAll(this.#loop.outcome);
  }

  /** A step has thrown: what has begun ends, and says so. Nothing can be done about it. */
  async #failed(error: unknown): Promise<undefined> {
    const told = (work: () => unknown) =>
      Promise.resolve().then(work).catch((failure) =>
        this.#loop.hooks.warn(this.name, "EXCEPTION", failure)
      );
    this.#loop.context.error = error;
    const outcome: Outcome = { status: "failed", error };
    await told(() => this.#loop.fire(TrainingStage.EXCEPTION));
    await told(() => this.#validation?.end(outcome));
    await told(() => this.#steps?.end(outcome));
    if (this.#isTraining) await told(() => this.#closeAll(outcome));
    await told(() => this.#dropEpoch());
    this.#wanted.length = 0;
    return undefined;
  }

  /** Ends epoch and run. */
  async #closeAll(outcome: Outcome): Promise<void> {
    const { loop, progress } = { loop: this.#loop, progress: this.#progress };
    const measured = await this.#host?.model.runner.measured().catch(() => undefined);
    const metrics = measured === undefined ? {} : progress.tally.metrics(measured, "train/");
    await this.#closeEpoch(outcome, metrics);
    await this.#dropEpoch();
    progress.status = outcome.status === "failed" ? "error" : outcome.status;
    loop.context.outcome = outcome;
    await loop.fire(TrainingStage.TRAIN_END);
  }

  /** The next run begins the epoch anew, where it was. */
  async #dropEpoch(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    this.#isEpochOpen = false;
    await reader?.close();
  }
}
