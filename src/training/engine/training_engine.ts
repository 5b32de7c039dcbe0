/**
 * The engine of a trainer. It begins and ends runs, and runs their steps.
 *
 * @module
 */

import type { Workflow } from "../../hooks/protocol/context.ts";
import type { OwnFields } from "../../hooks/protocol/own_fields.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import { type Engine, Loop } from "../../hooks/loop/loop.ts";
import type { LoopOptions } from "../../hooks/loop/loop_options.ts";
import type { TrainerControl } from "../context.ts";
import { interleave } from "../data/interleave.ts";
import type { NamedBatch, NamedData } from "../data/named_data.ts";
import type { ModelPlan, OpenedModel } from "../model/opened_model.ts";
import { NotFiniteError } from "../not_finite_error.ts";
import { checkMonitors, reportToSchedules } from "../schedules/report_metrics.ts";
import { TrainingStage } from "../stages.ts";
import { TrainingFieldSource } from "../state/field_source.ts";
import { ObservedTensors } from "../state/observed_tensors.ts";
import { addLazyFields, TrainerView } from "../state/trainer_view.ts";
import type { TrainerParts, TrainingKind } from "../trainer_options.ts";
import type { BatchResult } from "./batch_results.ts";
import { Epochs } from "./epochs.ts";
import { CurrentSettings } from "./current_settings.ts";
import type { MergedSettings } from "./merged_settings.ts";
import { Progress } from "./progress.ts";
import { StepRequests } from "./requests.ts";
import { TrainerResources } from "./resources.ts";
import { runInfoOf } from "./run_info.ts";
import type { StepHost } from "./step_host.ts";
import { TrainerFiles } from "./trainer_files.ts";
import { TrainingSteps } from "./training_step.ts";
import { Validation } from "./validation.ts";

type Metrics = Readonly<Record<string, number>>;

/** The parts of the engine that exist only while the model is open. */
export interface OpenParts {
  /** The objects that all steps share. */
  readonly host: StepHost;
  /** Runs the steps. */
  readonly steps: TrainingSteps;
  /** Runs the epochs. */
  readonly epochs: Epochs;
  /** Runs the validations. */
  readonly validation: Validation;
  /** The merged settings of the trainer and its hooks. */
  readonly settings: CurrentSettings;
}

/** The work of the current call: no work, training until a number of epochs is done, or one step over given batches. */
export type RunMode =
  | { readonly type: "idle" }
  | { readonly type: "train"; readonly epochs: number }
  | { readonly type: "given"; readonly batches: readonly NamedBatch[] };

const IDLE: RunMode = { type: "idle" };

/**
 * The engine of a trainer. {@linkcode Loop} calls `begin`, then `step` for each optimizer step, then `end` and
 * `settled`. It calls `recover` if something has failed. Every epoch, batch and validation that has begun is ended in
 * every case, with its outcome.
 */
export class TrainingEngine implements Engine<TrainingKind> {
  readonly kinds: TrainingKind = TrainingStage;
  readonly workflow: Workflow;
  readonly context: OwnFields<TrainingKind>;
  readonly state: TrainingFieldSource;
  /** Returns the pending results for a stage. Undefined in host memory, where every loss is known at once. */
  readonly coming?: (stage: string) => Promise<BatchResult> | undefined;
  /** The loop that runs the engine. */
  readonly loop: Loop<TrainingKind>;
  /** The model and the device. */
  readonly resources: TrainerResources;
  /** Counts, loss and metrics of the run. */
  readonly progress: Progress;
  /** Requests of hooks that are fulfilled between two steps. */
  readonly requests: StepRequests = new StepRequests();
  /** Saves, loads and exports the state. */
  readonly files: TrainerFiles;
  /** The work of the current call. */
  mode: RunMode = IDLE;
  readonly #options: TrainerParts;
  readonly #data: NamedData | undefined;
  readonly #observed = new ObservedTensors();
  #parts: OpenParts | undefined;
  #isTrainOpen = false;
  /** True while a step is running. The end of an epoch belongs to its last step. */
  isInStep: boolean = false;

  /** Creates the engine. Throws a TypeError or RangeError that names the wrong option. */
  constructor(trainer: Workflow & TrainerControl, options: TrainerParts) {
    const { data, loaderOrder = "sequential", device = "wasm" } = options;
    this.#options = options;
    this.workflow = trainer;
    this.#data = data === undefined ? undefined : interleave(data, { order: loaderOrder });
    this.resources = new TrainerResources(trainer.name, options);
    const view = new TrainerView(trainer.name, device, this.resources, {
      step: () => this.loop.stepCount,
      steps: () => this.#parts?.steps,
    });
    this.progress = new Progress(view);
    const values = view.values(this.progress, this.#observed);
    this.state = new TrainingFieldSource(values, () => this.resources.backend?.isHost ?? false);
    this.context = { epoch: 0, phase: "train", state: this.progress, trainer };
    if (device !== "wasm" && device !== "reference") {
      this.coming = (stage) => this.#parts?.steps.results.coming(stage);
    }
    this.loop = new Loop<TrainingKind>(this, loopOptions(trainer.name, options));
    this.files = new TrainerFiles(this);
    addLazyFields(this.loop.context, view, values);
    this.loop.hooks.subscribe(() => this.#parts?.settings.forget());
  }

  /** The parts that exist only while the model is open; otherwise `undefined`. */
  get parts(): OpenParts | undefined {
    return this.#parts;
  }

  /** True if the trainer has training data. */
  get hasData(): boolean {
    return this.#data !== undefined;
  }

  /** Opens the model and the device, if they are not open. */
  async open(): Promise<OpenParts> {
    await this.resources.open((plan, model) => {
      this.#parts = this.#makeParts(plan, model);
      this.loop.hooks.replan();
    });
    return this.#parts!;
  }

  #makeParts(plan: ModelPlan, model: OpenedModel): OpenParts {
    const { loop, progress } = this, { name } = this.workflow;
    const host: StepHost = {
      loop,
      context: loop.context,
      model,
      data: this.#data,
      optimizers: plan.optimizers,
      owners: plan.owners,
      progress,
      observed: this.#observed,
    };
    const steps = new TrainingSteps(host);
    return {
      host,
      steps,
      epochs: new Epochs(name, host),
      validation: new Validation(host, steps),
      settings: new CurrentSettings(this.#options, host, () => steps.reset()),
    };
  }

  /** Begins a run, or a step over given batches. Opens the model. A run fires TRAIN_BEGIN. */
  async begin(): Promise<void> {
    const { loop, progress } = this;
    const { settings, steps } = await this.open();
    await settings.get();
    steps.schedule(loop.stepCount);
    if (this.mode.type !== "train") return;
    progress.status = "training";
    this.#isTrainOpen = true;
    const run = await runInfoOf(this.workflow, this.#options);
    const { config } = this.#options;
    Object.assign(loop.context, { stepCount: loop.stepCount, config, run });
    await loop.fire(TrainingStage.TRAIN_BEGIN);
  }

  /**
   * Runs one step, with the beginning and the end of its epoch if they are due. The step is counted when its update
   * is done. A vetoed step is not counted.
   */
  async step(): Promise<false> {
    const { mode } = this, { steps, epochs } = this.#opened;
    if (mode.type !== "given") await this.betweenSteps();
    const settings = await this.#opened.settings.get();
    if (mode.type !== "given") await epochs.reader(); // EPOCH_BEGIN comes before the step
    this.isInStep = true;
    this.progress.mark();
    if (mode.type === "given") await steps.step(mode.batches, settings, { isByHand: true });
    else await this.#stepOfEpoch(settings);
    this.isInStep = false;
    return false;
  }

  async #stepOfEpoch(settings: MergedSettings): Promise<void> {
    const { steps, epochs } = this.#opened;
    const begun = this.loop.stepCount;
    await steps.step(await epochs.take(settings.accumulate), settings);
    const isLast = await (await epochs.reader()).isDone();
    const validated = this.#isToValidate(isLast, this.loop.stepCount > begun)
      ? await this.#validateIfAny()
      : undefined;
    if (!isLast) return;
    await this.deliverAll();
    await epochs.end(validated);
    if (this.requests.wantsValidation) await this.#validateIfAny(); // requested at EPOCH_END, before the epoch is counted
    epochs.advance();
    if (this.mode.type === "train" && this.progress.currentEpoch >= this.mode.epochs) {
      this.loop.done();
    }
  }

  /** Finishes pending work of a run after its last step, and checks the parameters. */
  async end(): Promise<void> {
    const { loop, progress } = this;
    await this.#parts?.steps.results.settle();
    if (this.mode.type !== "train") return;
    await this.betweenSteps();
    // If no epoch is open, hooks with `atEnd` see the index of the last finished epoch.
    if (!this.#opened.epochs.isOpen) loop.context.epoch = Math.max(0, progress.currentEpoch - 1);
    await this.#assertNoneLost();
  }

  /** Throws a NotFiniteError if parameters are NaN. The last loss was computed before the last update. */
  async #assertNoneLost(): Promise<void> {
    const { stepCount, context: { batchIdx: batch = 0, epoch } } = this.loop;
    const tensors = await this.#opened.host.model.lostParameters("parameters");
    if (tensors.length === 0) return;
    const place = { epoch, batch, step: stepCount - 1, tensors };
    throw new NotFiniteError(this.workflow.name, place);
  }

  /** Ends the epoch and the run, once hooks have received all results. */
  async settled(): Promise<void> {
    if (this.mode.type !== "train") return;
    const { loop: { outcome }, progress: { metrics, currentEpoch } } = this;
    const isWhole = outcome.status === "completed" && currentEpoch > 0;
    if (isWhole && this.#options.validation === undefined) {
      checkMonitors(this.#opened.host.optimizers, metrics);
    }
    await this.#endAll(outcome);
    await this.betweenSteps(); // hooks at TRAIN_END may have made requests
  }

  /** Cleans up after a step that has thrown: fires EXCEPTION, ends all that has begun, and resets the counters. */
  async recover(error: unknown): Promise<undefined> {
    const { loop, progress } = this, parts = this.#parts;
    const attempt = async (work: () => unknown) => {
      try {
        await work();
      } catch (failure) {
        loop.hooks.warn(loop.name, "EXCEPTION", failure);
      }
    };
    loop.context.error = error;
    const outcome = loop.warnings.failed(error);
    await attempt(() => loop.fire(TrainingStage.EXCEPTION));
    await attempt(() => parts?.validation.end(outcome));
    await attempt(() => parts?.steps.fail(outcome));
    if (this.isInStep) progress.back();
    this.isInStep = false;
    await attempt(() => this.#endAll(outcome));
    await attempt(() => parts?.epochs.drop());
    await attempt(() => parts?.host.model.rest());
    loop.context.phase = "train";
    this.requests.clear();
    return undefined;
  }

  /** Fulfills the requests of hooks, between two steps. */
  async betweenSteps(): Promise<void> {
    const { requests } = this;
    if (requests.wantsValidation) await this.#validateIfAny();
    if (requests.files.length > 0) await this.deliverAll();
    while (requests.files.length > 0) await this.files.write(requests.files.shift()!);
  }

  /** Waits until hooks have received the results of all steps so far, so that later stages come after them. */
  async deliverAll(): Promise<void> {
    await this.#opened.steps.results.settle();
    await this.loop.hooks.soFar;
  }

  /** Forgets the position of the last run in its epoch, because a checkpoint was loaded. */
  async reset(): Promise<void> {
    this.isInStep = false;
    this.loop.context.epoch = this.progress.currentEpoch;
    await this.#parts?.epochs.drop();
  }

  /** Closes the hooks, then the model and the device. */
  async close(): Promise<void> {
    this.resources.refuse();
    try {
      await this.loop.close();
    } finally {
      await this.#parts?.epochs.drop();
      await this.resources.close();
      this.#parts = undefined;
    }
  }

  get #opened(): OpenParts {
    return this.#parts!;
  }

  /** Returns whether a validation follows this step. Several reasons lead to a single validation. */
  #isToValidate(isLast: boolean, isDone: boolean): boolean {
    const { epochs = 1, steps } = this.#options.validateEvery ?? {};
    return this.requests.wantsValidation ||
      (steps !== undefined && isDone && this.loop.stepCount % steps === 0) ||
      (isLast && epochs > 0 && (this.progress.currentEpoch + 1) % epochs === 0);
  }

  async #validateIfAny(): Promise<Metrics | undefined> {
    const data = this.requests.takeValidation() ?? this.#options.validation;
    if (data === undefined) return undefined;
    await this.deliverAll();
    const { host: { optimizers, progress }, validation, settings } = this.#opened;
    const metrics = await validation.run(data, await settings.get());
    reportToSchedules(optimizers, { ...progress.metrics, ...metrics }, "validation");
    return metrics;
  }

  /** Fires EPOCH_END and TRAIN_END with an outcome, if an epoch and a run have begun. */
  async #endAll(outcome: Outcome): Promise<void> {
    const { loop, progress } = this;
    await loop.hooks.soFar;
    try {
      await this.#parts?.epochs.cutShort(outcome);
    } finally {
      await this.#parts?.epochs.drop();
      if (this.#isTrainOpen) {
        this.#isTrainOpen = false;
        progress.status = outcome.status === "failed" ? "error" : outcome.status;
        const { currentEpoch: epoch, step: stepCount } = progress;
        Object.assign(loop.context, { outcome, epoch, stepCount });
        await loop.fire(TrainingStage.TRAIN_END);
      }
    }
  }
}

function loopOptions(
  name: string,
  { signal, onWarning, verify }: TrainerParts,
): LoopOptions<TrainingKind> {
  return {
    name,
    ...(signal && { signal }),
    ...(onWarning && { onWarning }),
    ...(verify && { verify }),
  };
}
