import type { CheckpointContext, EndContext, MetricsContext } from "../../training/stages.ts";
import { checkpointName } from "./checkpoint_name.ts";
import { CheckpointRanking, type RankedCheckpoint } from "./checkpoint_ranking.ts";
import {
  createFolder,
  fileExists,
  fileSystemFor,
  linkAs,
  pathIn,
  removeIfExists,
} from "../any/file_system.ts";
import { checkModelCheckpoint, type ModelCheckpointOptions } from "./model_checkpoint_options.ts";
import { monitored } from "../training/monitored.ts";
import { checkSaved } from "../training/training_options.ts";

/** A requested checkpoint. */
interface PendingCheckpoint extends RankedCheckpoint {
  /** Files of the checkpoint that are not on disk yet. */
  readonly missingFiles: Set<string>;
}

const NAME = "ModelCheckpoint";

/**
 * Keeps checkpoints of the best models. After each validation of a training run the metric is compared with those of
 * the existing checkpoints. A model among the best is written after the current step, and the worst checkpoint is
 * deleted once the new one is on disk. If two scores are equal, the older checkpoint stays. NaN is worse than any
 * number. Existing files are never overwritten: if a name is taken, the new file gets the suffix `-v2`. Checkpoints
 * contain the ranking.
 *
 * The constructor throws a TypeError, RangeError or SyntaxError if an option is not valid; the message names the
 * option. A missing metric, in `monitor` or in the template, ends the run.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { ModelCheckpoint } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertEquals } from "@std/assert";
 *
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
 *   validation: data,
 *   optimizers: sgd({ lr: 0.1 }),
 *   epochs: 4,
 *   hooks: [new ModelCheckpoint({ dir, saveTopK: 2 })],
 * });
 * await trainer.train();
 * const files = [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
 * assertEquals(files, ["epoch_2_loss_0.16.hooke", "epoch_3_loss_0.04.hooke", "last.hooke"]);
 * ```
 */
export class ModelCheckpoint {
  /** Name of the hook. */
  readonly name: string;
  /** Ends the run if a checkpoint cannot be written. */
  readonly onError = "throw";
  readonly #options: Required<Omit<ModelCheckpointOptions, "dir" | "name">>;
  readonly #dir: string;
  readonly #ranking: CheckpointRanking;
  #pending: PendingCheckpoint[] = [];
  #last: string | undefined;
  /** Number of completed epochs of this run, and number of checks of the metric in them. */
  #run = { epochs: 0, checks: 0 };

  /** Creates the hook; nothing is written yet. */
  constructor(options: ModelCheckpointOptions) {
    checkModelCheckpoint(options);
    const { monitor = "val/loss", mode = "min", saveTopK = 3, saveLast = true } = options;
    const { saveOnTrainEpochEnd = false, autoInsertMetricName = false, everyNEpochs = 1 } = options;
    const { filename = "epoch_{epoch}_loss_{val/loss:.2f}", weights = "checkpoint" } = options;
    this.name = options.name ?? "model_checkpoint";
    this.#dir = pathIn(options.dir);
    this.#ranking = new CheckpointRanking(saveTopK, mode);
    this.#options = {
      monitor,
      mode,
      saveTopK,
      saveLast,
      saveOnTrainEpochEnd,
      filename,
      autoInsertMetricName,
      everyNEpochs,
      weights,
    };
  }

  /** Kept checkpoints, the best one first. */
  get kept(): readonly RankedCheckpoint[] {
    return this.#ranking.kept;
  }

  /** Best checkpoint; `undefined` if no checkpoint has a finite score. */
  get best(): RankedCheckpoint | undefined {
    return this.kept.find(({ score }) => Number.isFinite(score));
  }

  /** Creates the folder. Called by the trainer. */
  async open(): Promise<void> {
    await createFolder(fileSystemFor(NAME), this.#dir);
  }

  /** Forgets requests of a run that failed. Called by the trainer when training begins. */
  onTrainBegin(): void {
    this.#pending = [];
    this.#run = { epochs: 0, checks: 0 };
  }

  /** Checks the metric, unless `saveOnTrainEpochEnd` is true. Called by the trainer after a validation. */
  async onValidationEnd(ctx: MetricsContext): Promise<void> {
    if (!this.#options.saveOnTrainEpochEnd) await this.#check(ctx);
  }

  /** Checks the metric if `saveOnTrainEpochEnd` is true. Called by the trainer at the end of an epoch. */
  async onEpochEnd(ctx: MetricsContext): Promise<void> {
    if (ctx.outcome.status === "completed") this.#run.epochs++;
    if (this.#options.saveOnTrainEpochEnd) await this.#check(ctx);
  }

  /** Throws a RangeError if a completed run never had a metric to check. Called by the trainer when training ends. */
  onTrainEnd({ outcome }: EndContext): void {
    const { epochs, checks } = this.#run;
    if (outcome.status !== "completed" || checks > 0 || epochs === 0) return;
    throw new RangeError(
      "Cannot keep checkpoints: the run had no validation. " +
        "Pass validation data, or set saveOnTrainEpochEnd to check at the end of each epoch",
    );
  }

  /**
   * Once all files of a checkpoint are written, links them as `last` if `saveLast` is true and no newer checkpoint
   * was requested, adds the checkpoint to the ranking, and deletes the worst one. Called by the trainer.
   */
  async onCheckpointSave({ path }: CheckpointContext): Promise<void> {
    const done = this.#pending.find(({ missingFiles }) => missingFiles.delete(path));
    if (done === undefined || done.missingFiles.size > 0) return;
    this.#pending = this.#pending.filter((pending) => pending !== done);
    const files = fileSystemFor(NAME), { score, step } = done;
    if (this.#options.saveLast && done.path === this.#last) {
      await Promise.all(
        this.#filesOf(done.path).map((file) =>
          linkAs(files, file, pathIn(this.#dir, `last${endingOf(file)}`))
        ),
      );
    }
    // Only now, with the better checkpoint on disk, the worst one may be deleted.
    for (const gone of this.#ranking.add({ path: done.path, score, step })) {
      for (const file of this.#filesOf(gone.path)) await removeIfExists(files, file);
    }
  }

  /**
   * Returns the ranking as plain data for a checkpoint, including requested checkpoints that are not on disk yet.
   * Called by the trainer.
   */
  save(): { readonly kept: readonly RankedCheckpoint[] } {
    return {
      kept: [...this.kept, ...this.#pending].map(({ path, score, step }) => ({
        path,
        score,
        step,
      })),
    };
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. Called by the trainer. */
  load(state: unknown): void {
    checkSaved(NAME, state, ["kept"]);
    this.#pending = [];
    this.#ranking.restore((state as { readonly kept: readonly RankedCheckpoint[] }).kept);
  }

  async #check(ctx: MetricsContext): Promise<void> {
    const { monitor, saveTopK, saveLast, everyNEpochs } = this.#options;
    if (ctx.outcome.status !== "completed" || ctx.state.status !== "training") return;
    this.#run.checks++;
    if ((ctx.epoch + 1) % everyNEpochs !== 0) return;
    const score = saveTopK === 0 ? NaN : monitored(`keep checkpoints`, ctx.metrics, monitor);
    if (this.#ranking.wouldKeep(score, this.#pending)) {
      const path = await this.#freePath(ctx), paths = this.#filesOf(path);
      this.#last = path;
      this.#pending.push({ path, score, step: ctx.state.step, missingFiles: new Set(paths) });
      for (const file of paths) request(ctx, file);
    } else if (saveLast) {
      this.#last = undefined;
      for (const file of this.#filesOf(pathIn(this.#dir, `last${this.#ending}`))) {
        request(ctx, file);
      }
    }
  }

  get #ending(): string {
    return this.#options.weights === "onnx" ? ".onnx" : ".hooke";
  }

  /** Returns the paths of the files of a checkpoint: with `weights: "both"` also the .onnx file. */
  #filesOf(path: string): string[] {
    return this.#options.weights === "both" ? [path, path.replace(/\.hooke$/, ".onnx")] : [path];
  }

  /** Returns a path for a new checkpoint that no file and no pending checkpoint has. */
  async #freePath({ state, metrics, epoch }: MetricsContext): Promise<string> {
    const { filename, autoInsertMetricName } = this.#options, files = fileSystemFor(NAME);
    const values = { ...state.metrics, "train/loss": state.avgLoss, ...metrics };
    const name = checkpointName(
      filename,
      { ...values, epoch, step: state.step },
      autoInsertMetricName,
    );
    for (let version = 1;; version++) {
      const versioned = version === 1 ? name : `${name}-v${version}`;
      const path = pathIn(this.#dir, versioned + this.#ending);
      const isTaken = this.#pending.some((pending) => pending.path === path);
      if (!isTaken && !await fileExists(files, path)) return path;
    }
  }
}

function request({ trainer }: Pick<MetricsContext, "trainer">, file: string): void {
  if (file.endsWith(".onnx")) trainer.checkpointSoon(file, "onnx");
  else trainer.checkpointSoon(file);
}

function endingOf(path: string): string {
  return path.endsWith(".onnx") ? ".onnx" : ".hooke";
}
