/**
 * Trains any ONNX graph, with hooks at every stage.
 *
 * @module
 */

import type { Backend } from "../backend/backend.ts";
import { openBackend, openDevice, type OpenedDevice } from "../backend/open.ts";
import { readCheckpoint, writeCheckpoint, writeWhole } from "../checkpoint/mod.ts";
import type { Workflow } from "../hooks/protocol/context.ts";
import type { AddOptions } from "../hooks/registry/add_options.ts";
import type { Lifecycle } from "../hooks/protocol/lifecycle.ts";
import { Loop } from "../hooks/loop/loop.ts";
import type { Outcome } from "../hooks/protocol/outcome.ts";
import type { HookOptions } from "../hooks/protocol/protocol.ts";
import { complaint } from "../base/show.ts";
import type { Accept, HookHandle, HookSet } from "../hooks/registry/registry.ts";
import { loadWhole } from "../onnx/codec/load_whole.ts";
import {
  assertSaved,
  CHECKPOINT_KIND,
  loadModel,
  type SavedTrainer,
  saveModel,
  SCHEMA,
} from "./state/checkpoint.ts";
import type {
  ParameterInfo,
  ParameterValues,
  TrainerControl,
  TrainerState,
  ValidationData,
} from "./context.ts";
import { batchOf } from "./data/batches_of.ts";
import type { BatchLike } from "./data/batches_of.ts";
import { interleave } from "./data/interleave.ts";
import type { NamedData } from "./data/named_data.ts";
import { TrainingFieldSource } from "./state/field_source.ts";
import { fillContext, type Having, momentOf, progressOf } from "./state/trainer_view.ts";
import { ObservedTensors } from "./state/observed_tensors.ts";
import { type LoadedBytes, type ModelPlan, OpenedModel, planModel } from "./model/opened_model.ts";
import type { Progress } from "./engine/progress.ts";
import { type MergedSettings, mergeSettings } from "./engine/merged_settings.ts";
import { TrainingStage } from "./stages.ts";
import { checkCount, checkTrainerOptions } from "./check_trainer_options.ts";
import type {
  TrainerOptions,
  TrainerParts,
  TrainingData,
  TrainingHooks,
  TrainingKind,
} from "./trainer_options.ts";
import { type OpenedParts, TrainingRun, type WantedFile } from "./engine/training_run.ts";
import { type StepHost, TrainingSteps } from "./engine/training_step.ts";
import { Validation } from "./engine/validation.ts";

/** What a step came to. */
export interface StepResult {
  /** The loss of its last batch. */
  readonly loss: number;
  /** That, its terms, and what is measured. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Whether a gate vetoed it. */
  readonly skipped: boolean;
}

const VALUES: readonly ParameterValues[] = ["parameters", "ema", "gradients"];

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
  readonly #observed = new ObservedTensors();
  readonly #data: NamedData | undefined;
  #plan: ModelPlan | undefined;
  #backend: Backend | undefined;
  #device: Omit<OpenedDevice, "backend"> | undefined;
  #opened: Promise<void> | undefined;
  #parts: OpenedParts | undefined;
  #settings: MergedSettings | undefined;
  #isBusy = false;
  #isClosed = false;
  readonly #run: TrainingRun;

  /** Throws a TypeError or RangeError that names the option or hook that is wrong. */
  constructor(options: TrainerOptions<H>) {
    checkTrainerOptions(options);
    this.#options = options;
    this.name = options.name ?? "trainer";
    const { model, data, loaderOrder = "sequential" } = options;
    this.#data = data === undefined ? undefined : interleave(data, { order: loaderOrder });
    const { device = "wasm" } = options;
    if (device === "wasm" || device === "reference") {
      this.#backend = openBackend(device);
      this.#device = { device, skipped: [] };
    }
    if (model instanceof Uint8Array) {
      this.#plan = planModel({ bytes: model, name: this.name }, options);
    }
    const has = this.#having();
    this.#progress = progressOf(has);
    this.#loop = this.#makeLoop(has);
    this.#run = this.#makeRun();
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

  /** Where it runs, and why there; not known before a GPU is open: `await open()`. */
  get device(): Omit<OpenedDevice, "backend"> | undefined {
    return this.#device;
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
  async open(): Promise<void> {
    if (this.#isClosed) {
      throw new Error(`Cannot open ${this.name} as it must not have been closed: it was`);
    }
    await this.#once();
  }

  #once(): Promise<void> {
    if (this.#opened === undefined) {
      this.#opened = this.#open();
      this.#opened.catch(() => this.#opened = undefined); // the next try may do better
    }
    return this.#opened;
  }

  /**
   * Trains until `epochs` epochs are done over all calls, `steps` of the options are, or something asked to stop. Stopped
   * in mid-epoch, the next call goes on there; after an error, with the step that failed. Where that failed after its
   * update, in a validation or as its epoch ended, it would be done twice: go on from a checkpoint then.
   *
   * @throws {TypeError} where there is no data, and for batches that lack what the model needs
   * @throws {Error} what a step, or a hook that decides, has thrown
   */
  async train(epochs: number = this.#options.epochs ?? 1): Promise<Outcome> {
    checkCount(`train ${this.name}`, "epochs", epochs, 0);
    if (this.#data === undefined) {
      throw new TypeError(`Cannot train ${this.name} as it must have data: current value is none`);
    }
    return await this.#alone("train", async () => {
      this.#run.epochs = epochs;
      const isOver = this.#progress.currentEpoch >= epochs;
      const left = Math.max(0, (this.#options.steps ?? Infinity) - this.stepCount);
      this.#run.isTraining = true;
      try {
        return this.outcome = await this.#loop.run(isOver ? 0 : left);
      } catch (error) {
        this.outcome = { status: "failed", error };
        throw error;
      } finally {
        this.#run.isTraining = false;
      }
    });
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
    const given = batches.map((batch, i) => ({
      batch: batchOf(batch, i),
      loaderIndex: 0,
      loaderName: "given",
    }));
    return await this.#alone("step", async () => {
      this.#run.given = given;
      try {
        await this.#loop.step();
        await this.#run.deliverAll();
      } finally {
        this.#run.given = undefined;
      }
      const { loss, metrics } = await this.#parts!.steps.known;
      const result = { loss, metrics, skipped: this.#loop.context.skipped === true };
      await this.#run.between();
      return result;
    });
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
   * @throws {Error} while it is running: hooks ask by `ctx.trainer.validateSoon()`
   */
  async validate(
    data: TrainingData | undefined = this.#options.validation,
  ): Promise<Readonly<Record<string, number>>> {
    if (data === undefined) {
      throw new TypeError(
        `Cannot validate ${this.name} as it must have data for it: current value is none`,
      );
    }
    return await this.#alone("validate", async () => {
      await this.open();
      try {
        return await this.#parts!.validation.run(data, await this.#follow());
      } catch (error) {
        await this.#parts?.validation.end({ status: "failed", error });
        throw error;
      }
    });
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
    this.#run.wantFile({ path, weights });
  }

  /** See {@linkcode TrainerControl.validateSoon}. */
  validateSoon(data?: ValidationData): void {
    this.#run.wantValidation(data);
  }

  /**
   * A copy of a parameter as it is now, of its average where those are kept, or of its gradient in the last step.
   *
   * @throws {RangeError} for a name that no parameter has, for other numbers than these, and for averages where none are kept
   */
  async parameter(name: string, of: ParameterValues = "parameters"): Promise<Float32Array> {
    await this.open();
    const { arena } = this.#parts!.host.model;
    const place = arena.places.find((place) => place.name === name);
    if (place === undefined) {
      throw new RangeError(
        `Cannot read parameter ${JSON.stringify(name)} as it must be one of ${
          arena.places.map(({ name }) => name).join(", ")
        }`,
      );
    }
    this.#assertKept(of);
    const all = await arena.backend.read(arena.array(of));
    return Float32Array.from(all.subarray(place.from, place.from + place.size));
  }

  /** The trained model as the bytes of an .onnx file; with `"ema"` that of the averages. */
  async export(of: "parameters" | "ema" = "parameters"): Promise<Uint8Array<ArrayBuffer>> {
    await this.open();
    this.#assertKept(of);
    return await this.#parts!.host.model.export(of);
  }

  #assertKept(of: ParameterValues): void {
    if (!VALUES.includes(of)) {
      const requirement = `what is read must be one of ${VALUES.join(", ")}`;
      throw new RangeError(complaint(`read ${this.name}`, requirement, of, VALUES));
    }
    if (of !== "ema" || this.#parts!.host.model.arena.has("ema")) return;
    throw new RangeError(
      `Cannot read averages of ${this.name} as they must be kept, ema: { decay }: they are not`,
    );
  }

  /** Writes the trained model to a file, which is there whole or not at all. Throws an Error when it cannot be written. */
  async exportTo(path: string | URL, of: "parameters" | "ema" = "parameters"): Promise<void> {
    await writeWhole(path, await this.export(of), "model");
  }

  /** All that it needs to go on to the bit: plain data. Throws an Error in mid-step: hooks ask by `checkpointSoon`. */
  async save(): Promise<SavedTrainer> {
    await this.open();
    this.#assertBetween();
    await this.#parts!.steps.settle();
    this.#assertBetween(); // a run may have gone on meanwhile
    const { model, optimizers } = this.#parts!.host;
    const state = saveModel(model, optimizers);
    const [progress, loop] = [this.#progress.save(), this.#loop.save()];
    return { ...await state, progress, loop };
  }

  /** Throws an Error in mid-step: parameters and counters are not of the same moment. */
  #assertBetween(): void {
    if (!this.#run.isInStep) return;
    throw new Error(
      `Cannot save ${this.name} as no step must be under way: one is; checkpointSoon() saves when it is done`,
    );
  }

  /**
   * Goes on where `save` was called; hooks are matched by name.
   *
   * @throws {TypeError} for what no trainer with these parameters and optimizers has saved
   * @throws {RangeError} for another precision
   */
  async load(saved: SavedTrainer): Promise<void> {
    await this.open();
    const { model, optimizers } = this.#parts!.host;
    assertSaved(this.name, model, optimizers, saved);
    this.#loop.load(saved.loop);
    loadModel(model, optimizers, saved);
    this.#progress.load(saved.progress);
    await this.#run.reset();
  }

  /** Writes what `save` gives to a file, which is there whole or not at all; then CHECKPOINT_SAVE. */
  async saveCheckpoint(path: string | URL): Promise<void> {
    const data = await this.save();
    await this.#loop.hooks.flush(); // what hooks say that they have written must be there
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
    await this.#alone("close", async () => {
      this.#isClosed = true;
      try {
        await this.#loop.close();
      } finally {
        await this.#run.drop();
        await this.#opened?.catch(() => {});
        await this.#parts?.host.model.close();
        if (this.#backend?.isHost === false) this.#backend.dispose();
        this.#opened = this.#parts = undefined;
      }
    });
  }

  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** One thing at a time: a run that another begins or closes in its midst could rely on nothing. */
  async #alone<T>(action: string, work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) {
      throw new Error(
        `Cannot ${action} ${this.name} as it must not be running already: await that first`,
      );
    }
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }

  get #planned(): ModelPlan {
    if (this.#plan !== undefined) return this.#plan;
    throw new Error(
      `Cannot tell the parameters of ${this.name} as its model must be read: await open() first`,
    );
  }

  #having(): Having {
    const plan = () => this.#plan, backend = () => this.#backend, parts = () => this.#parts;
    const steps = () => this.stepCount;
    return {
      name: this.name,
      wanted: this.#options.device ?? "wasm",
      get plan() {
        return plan();
      },
      get backend() {
        return backend();
      },
      get parts() {
        return parts();
      },
      get stepCount() {
        return steps();
      },
    };
  }

  #makeLoop(has: Having): Loop<TrainingKind> {
    const { signal, onWarning, verify } = this.#options;
    const moment = momentOf(has, this.#progress, this.#observed);
    const loop = new Loop<TrainingKind>({
      kinds: TrainingStage,
      workflow: this,
      context: { epoch: 0, phase: "train", state: this.#progress, trainer: this },
      state: new TrainingFieldSource(moment, () => this.#backend?.isHost ?? false),
      begin: () => this.#run.begin(),
      step: () => this.#run.step(),
      end: () => this.#run.end(),
      settled: () => this.#run.finish(),
      recover: (error: unknown) => this.#run.fail(error),
      ...(isOnHost(this.#options) ? {} : { coming: (stage) => this.#parts?.steps.coming(stage) }),
    }, {
      name: this.name,
      ...(signal && { signal }),
      ...(onWarning && { onWarning }),
      ...(verify && { verify }),
    });
    fillContext(loop.context, has, moment);
    return loop;
  }

  #makeRun(): TrainingRun {
    const parts = () => this.#parts;
    return new TrainingRun({
      name: this.name,
      options: this.#options,
      loop: this.#loop,
      progress: this.#progress,
      get opened() {
        return parts();
      },
      open: () => this.open(),
      follow: () => this.#follow(),
      write: (wanted) => this.#write(wanted),
    });
  }

  async #open(): Promise<void> {
    const options = this.#options;
    if (this.#plan === undefined) {
      const loaded: LoadedBytes = await loadWhole(options.model, {
        ...(options.signal && { signal: options.signal }),
      });
      this.#plan = planModel(loaded, options);
    }
    if (this.#backend === undefined) {
      const { backend, ...device } = await openDevice(options.device ?? "wasm");
      this.#backend = backend;
      this.#device = device;
    }
    const plan = this.#plan, model = new OpenedModel(plan, this.#backend, options);
    if (options.ema !== undefined) model.updates.copy("parameters", "ema");
    const host: StepHost = {
      loop: this.#loop,
      context: this.#loop.context,
      model,
      data: this.#data,
      optimizers: plan.optimizers,
      owners: plan.owners,
      progress: this.#progress,
      observed: this.#observed,
    };
    const steps = new TrainingSteps(host);
    this.#parts = { host, steps, validation: new Validation(host, steps) };
    this.#loop.hooks.replan();
  }

  /** What trainer and hooks ask for now; graphs are built anew where they must be. */
  async #follow(): Promise<MergedSettings> {
    if (this.#settings === undefined) {
      const { host: { model }, steps } = this.#parts!;
      const settings = mergeSettings(this.#options, this.#loop.hooks.enabled());
      if (await model.follow(settings)) steps.reset();
      if (settings.ema !== undefined && !model.arena.has("ema")) {
        model.updates.copy("parameters", "ema");
      }
      this.#settings = settings;
    }
    return this.#settings;
  }

  async #write({ path, weights }: WantedFile): Promise<void> {
    if (weights === undefined) return await this.saveCheckpoint(path);
    await this.exportTo(path);
    await this.#fireAt(TrainingStage.CHECKPOINT_SAVE, path);
  }

  async #fireAt(
    stage: typeof TrainingStage.CHECKPOINT_SAVE | typeof TrainingStage.CHECKPOINT_LOAD,
    path: string | URL,
  ): Promise<void> {
    const { context } = this.#loop, { stepCount } = context;
    Object.assign(context, { path: String(path), stepCount: this.stepCount });
    await this.#loop.fire(stage);
    context.stepCount = stepCount;
  }
}

/** Are all losses known at once? */
function isOnHost({ device = "wasm" }: TrainerParts): boolean {
  return device === "wasm" || device === "reference";
}
