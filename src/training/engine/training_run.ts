/**
 * Runs and their epochs: what begins and ends with them, and what comes between two steps.
 *
 * @module
 */

import type { Loop } from "../../hooks/loop/loop.ts";
import type { Outcome } from "../../hooks/protocol/outcome.ts";
import type { ValidationData } from "../context.ts";
import type { NamedBatch } from "../data/named_data.ts";
import { EpochReader } from "./epoch_reader.ts";
import { checkMonitors, reportToSchedules } from "../schedules/report_metrics.ts";
import type { MergedSettings } from "./merged_settings.ts";
import { TrainingStage } from "../stages.ts";
import type { TrainerParts, TrainingKind } from "../trainer_options.ts";
import type { Progress } from "./progress.ts";
import type { StepHost, TrainingSteps } from "./training_step.ts";
import type { Validation } from "./validation.ts";

/** A file to be written between two steps. */
export interface WantedFile {
  readonly path: string;
  readonly weights: "onnx" | undefined;
}

/** What there is once the model is open. */
export interface OpenedParts {
  readonly host: StepHost;
  readonly steps: TrainingSteps;
  readonly validation: Validation;
}

/** What a run asks of its trainer. */
export interface RunHost {
  readonly name: string;
  readonly options: TrainerParts;
  readonly loop: Loop<TrainingKind>;
  readonly progress: Progress;
  /** What is open, if it is. */
  readonly opened: OpenedParts | undefined;
  /** Opens it, where nobody has. */
  open(): Promise<void>;
  /** What trainer and hooks ask for now. */
  follow(): Promise<MergedSettings>;
  /** Writes a file, and says so when it is there. */
  write(wanted: WantedFile): Promise<void>;
}

type Metrics = Readonly<Record<string, number>>;

/** The runs of a trainer, one after another, and its steps by hand. */
export class TrainingRun {
  /** Is it a run, rather than a step by hand? */
  isTraining = false;
  /** Until so many epochs are done. */
  epochs = 1;
  /** Batches of a step by hand. */
  given: readonly NamedBatch[] | undefined;
  readonly #host: RunHost;
  #reader: EpochReader | undefined;
  #isTrainOpen = false;
  #isEpochOpen = false;
  /** The last step that has begun. */
  #begun: number | undefined;
  readonly #files: WantedFile[] = [];
  #wantsValidation = false;
  /** What with, where it is not that of the options. */
  #wantedData: ValidationData | undefined;

  constructor(host: RunHost) {
    this.#host = host;
  }

  /** Is a step under way? With what its epoch ends with, where it is the last one. */
  get isInStep(): boolean {
    return this.#begun === this.#host.loop.stepCount;
  }

  /** Has a file written between two steps. */
  wantFile(wanted: WantedFile): void {
    this.#files.push(wanted);
  }

  /** Has the model validated when the step under way is done. */
  wantValidation(data: ValidationData | undefined): void {
    this.#wantsValidation = true;
    this.#wantedData = data;
  }

  /** A run, or a step by hand, begins. */
  async begin(): Promise<void> {
    const { loop, progress } = this.#host;
    await this.#host.open();
    await this.#host.follow();
    this.#opened.steps.schedule(loop.stepCount);
    if (this.given !== undefined || !this.isTraining) return;
    progress.status = "training";
    this.#isTrainOpen = true;
    loop.context.stepCount = loop.stepCount;
    await loop.fire(TrainingStage.TRAIN_BEGIN);
  }

  /** One step, with what its epoch begins and ends with. */
  async step(): Promise<void> {
    const { given } = this;
    this.given = undefined;
    if (given === undefined) await this.between();
    const settings = await this.#host.follow();
    const reader = given === undefined ? this.#reader ?? await this.#beginEpoch() : undefined;
    this.#begun = this.#host.loop.stepCount;
    this.#host.progress.mark();
    if (reader === undefined) await this.#opened.steps.step(given!, settings, { isByHand: true });
    else await this.#stepOfEpoch(reader, settings);
  }

  /** What hooks have asked for, between two steps. */
  async between(): Promise<void> {
    if (this.#wantsValidation) await this.#validateIfAny();
    if (this.#files.length > 0) await this.deliverAll();
    while (this.#files.length > 0) await this.#host.write(this.#files.shift()!);
  }

  /**
   * Waits until hooks have been told of all steps so far: what begins or ends with several steps, and what is saved of
   * hooks, comes after them.
   */
  async deliverAll(): Promise<void> {
    await this.#opened.steps.settle();
    await this.#host.loop.hooks.soFar;
  }

  /** After the last step of a run. */
  async end(): Promise<void> {
    const { opened, loop, progress } = this.#host;
    await opened?.steps.settle();
    if (!this.isTraining) return;
    await this.between();
    // What fires at the end is of the last epoch there was.
    if (!this.#isEpochOpen) loop.context.epoch = Math.max(0, progress.currentEpoch - 1);
  }

  /** When all of a run is done. */
  async finish(): Promise<void> {
    if (!this.isTraining) return;
    const { loop: { outcome }, options, progress: { metrics, currentEpoch } } = this.#host;
    const isWhole = outcome.status === "completed" && currentEpoch > 0;
    if (isWhole && options.validation === undefined) {
      checkMonitors(this.#opened.host.optimizers, metrics);
    }
    await this.#closeAll(outcome);
    await this.between(); // TRAIN_END may have asked for something, too
  }

  /** A step has thrown: what has begun ends, and says so. Nothing can be done about it. */
  async fail(error: unknown): Promise<undefined> {
    const { loop, name, opened, progress } = this.#host;
    const told = (work: () => unknown) =>
      Promise.resolve().then(work).catch((failure) => loop.hooks.warn(name, "EXCEPTION", failure));
    loop.context.error = error;
    const outcome: Outcome = { status: "failed", error };
    await told(() => loop.fire(TrainingStage.EXCEPTION));
    await told(() => opened?.validation.end(outcome));
    await told(() => opened?.steps.fail(outcome));
    if (this.isInStep) progress.back();
    this.#begun = undefined;
    await told(() => this.#closeAll(outcome));
    await told(() => this.drop());
    await told(() => opened?.host.model.rest());
    loop.context.phase = "train";
    this.#files.length = 0;
    this.#wantsValidation = false;
    this.#wantedData = undefined;
    return undefined;
  }

  /** The next run begins the epoch anew, where it was. */
  async drop(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    this.#isEpochOpen = false;
    await reader?.close();
  }

  /** What comes is of another time: a checkpoint was loaded. */
  async reset(): Promise<void> {
    this.#begun = undefined;
    this.#host.loop.context.epoch = this.#host.progress.currentEpoch;
    await this.drop();
  }

  get #opened(): OpenedParts {
    return this.#host.opened!;
  }

  async #stepOfEpoch(reader: EpochReader, settings: MergedSettings): Promise<void> {
    const parts = await reader.take(settings.accumulate);
    await this.#opened.steps.step(parts, settings);
    const isLast = await reader.isDone();
    const validated = this.#isToValidate(isLast) ? await this.#validateIfAny() : undefined;
    if (isLast) await this.#endEpoch(validated);
  }

  /** Is the model to be validated after this step? Once, however many reasons there are. */
  #isToValidate(isLast: boolean): boolean {
    const { options, loop, progress } = this.#host;
    const { epochs = 1, steps } = options.validateEvery ?? {};
    return this.#wantsValidation ||
      (steps !== undefined && (loop.stepCount + 1) % steps === 0) ||
      (isLast && epochs > 0 && (progress.currentEpoch + 1) % epochs === 0);
  }

  async #validateIfAny(): Promise<Metrics | undefined> {
    const validation = this.#wantedData ?? this.#host.options.validation;
    this.#wantsValidation = false;
    this.#wantedData = undefined;
    if (validation === undefined) return undefined;
    await this.deliverAll();
    const { host: { optimizers, progress }, validation: own } = this.#opened;
    const metrics = await own.run(validation, await this.#host.follow());
    reportToSchedules(optimizers, { ...progress.metrics, ...metrics }, "validation");
    return metrics;
  }

  async #beginEpoch(): Promise<EpochReader> {
    const { name, progress, loop } = this.#host;
    const { currentEpoch: epoch, currentBatchIdx: from } = progress;
    const reader = new EpochReader(this.#opened.host.data!, epoch, from);
    if (await reader.isDone()) {
      await reader.close();
      throw new RangeError(
        `Cannot train ${name} as each epoch must have a batch: epoch ${epoch} has ${
          from === 0 ? "none" : `none after ${from}`
        }`,
      );
    }
    this.#reader = reader;
    if (from === 0) progress.sums.load({});
    loop.context.epoch = epoch;
    this.#isEpochOpen = true;
    await loop.fire(TrainingStage.EPOCH_BEGIN);
    return reader;
  }

  async #endEpoch(validated: Metrics | undefined): Promise<void> {
    const { loop, progress } = this.#host, { model, optimizers } = this.#opened.host;
    await this.deliverAll();
    const measured = await model.runner.measured();
    const metrics = { ...progress.sums.metrics(measured, "train/"), ...validated };
    Object.assign(progress.metrics, metrics);
    reportToSchedules(optimizers, metrics, validated === undefined ? "epoch" : "validatedEpoch");
    await this.#closeEpoch({ status: "completed" }, metrics);
    if (this.#wantsValidation) await this.#validateIfAny(); // of this epoch, too
    loop.advance("epoch");
    progress.currentEpoch++;
    progress.currentBatchIdx = 0;
    loop.context.epoch = progress.currentEpoch;
    this.#reader = undefined;
    if (progress.currentEpoch >= this.epochs) loop.done();
  }

  async #closeEpoch(outcome: Outcome, metrics: Metrics): Promise<void> {
    if (!this.#isEpochOpen) return;
    const { loop } = this.#host;
    this.#isEpochOpen = false;
    Object.assign(loop.context, { outcome, metrics });
    await loop.fire(TrainingStage.EPOCH_END);
  }

  /** Ends epoch and run. */
  async #closeAll(outcome: Outcome): Promise<void> {
    const { loop, progress } = this.#host;
    await loop.hooks.soFar;
    try {
      await this.#closeEpoch(this.#ofEpoch(outcome), await this.#soFar());
    } finally {
      await this.drop();
      if (this.#isTrainOpen) {
        this.#isTrainOpen = false;
        progress.status = outcome.status === "failed" ? "error" : outcome.status;
        const { currentEpoch: epoch, step: stepCount } = progress;
        Object.assign(loop.context, { outcome, epoch, stepCount });
        await loop.fire(TrainingStage.TRAIN_END);
      }
    }
  }

  /** What an epoch that is cut short has come to. */
  async #soFar(): Promise<Metrics> {
    if (!this.#isEpochOpen) return {};
    const { model, progress } = this.#opened.host;
    const measured = await model.runner.measured().catch(() => undefined);
    return measured === undefined ? {} : progress.sums.metrics(measured, "train/");
  }

  /** A run may be all done and its last epoch not: there were to be so many steps. */
  #ofEpoch(outcome: Outcome): Outcome {
    return outcome.status === "completed"
      ? { status: "stopped", reason: "all steps are done", step: this.#host.loop.stepCount - 1 }
      : outcome;
  }
}
