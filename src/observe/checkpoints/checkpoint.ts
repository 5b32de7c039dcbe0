import { wholeFrom } from "../../base/check_number.ts";
import type { MetricsContext } from "../../training/stages.ts";
import { createFolder, fileSystemFor, pathIn } from "../any/file_system.ts";
import { checkNumber, checkRequired, checkType, isFlag } from "../any/hook_options.ts";
import { checkSaved, checkTraining, type HookName, isPath } from "../training/training_options.ts";

/** Options of {@linkcode Checkpoint}. */
export interface CheckpointOptions extends HookName {
  /** Folder for the checkpoints. It is created if it does not exist. */
  readonly outputDir: string | URL;
  /**
   * Number of epochs between two checkpoints.
   *
   * @default 1
   */
  readonly saveEveryNEpochs?: number;
  /**
   * Writes a checkpoint of the best epoch, too.
   *
   * @default true
   */
  readonly saveBest?: boolean;
}

const NAME = "Checkpoint";

/**
 * Writes `checkpoint_epoch_N.hooke` every `saveEveryNEpochs` epochs, N from 1, and `best_model.hooke` whenever
 * `"val/loss"` is lower than ever before (without validation `"train/loss"`). All checkpoints are kept.
 *
 * This class is internal: `addCheckpointing` and `checkpoint` in a configuration use it. To keep only the best few
 * checkpoints, use `ModelCheckpoint`, which is exported.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 */
export class Checkpoint {
  /** Name of the hook. */
  readonly name: string;
  /** Ends the run if a checkpoint cannot be written. */
  readonly onError = "throw";
  readonly #dir: string;
  readonly #every: number;
  readonly #saveBest: boolean;
  #best: { readonly loss: number; readonly isValidated: boolean } | undefined;

  /** Creates the hook; nothing is written yet. */
  constructor(options: CheckpointOptions) {
    checkTraining(NAME, options, ["outputDir", "saveEveryNEpochs", "saveBest", "name"]);
    checkRequired(NAME, options, "outputDir", "the folder for the checkpoints");
    checkType(NAME, options, "outputDir", "a path", isPath);
    checkNumber(NAME, options, "saveEveryNEpochs", wholeFrom(1));
    checkType(NAME, options, "saveBest", "true or false", isFlag);
    this.name = options.name ?? "checkpoint";
    this.#dir = pathIn(options.outputDir);
    this.#every = options.saveEveryNEpochs ?? 1;
    this.#saveBest = options.saveBest ?? true;
  }

  /** Lowest loss so far; NaN before the first loss. */
  get bestLoss(): number {
    return this.#best?.loss ?? NaN;
  }

  /** Creates the folder. Called by the trainer. */
  async open(): Promise<void> {
    await createFolder(fileSystemFor(NAME), this.#dir);
  }

  /** Requests the checkpoints that are due. Called by the trainer. */
  onEpochEnd({ epoch, metrics, outcome, trainer }: MetricsContext): void {
    if (outcome.status !== "completed") return;
    if (this.#saveBest && this.#isBest(metrics)) {
      trainer.checkpointSoon(pathIn(this.#dir, "best_model.hooke"));
    }
    if ((epoch + 1) % this.#every !== 0) return;
    trainer.checkpointSoon(pathIn(this.#dir, `checkpoint_epoch_${epoch + 1}.hooke`));
  }

  /** Returns the state for a checkpoint as plain data. Called by the trainer. */
  save(): unknown {
    return { best: this.#best ?? null };
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. Called by the trainer. */
  load(state: unknown): void {
    checkSaved(NAME, state, ["best"]);
    const { best } = state as {
      readonly best: { readonly loss: number; readonly isValidated: boolean } | null;
    };
    this.#best = best ?? undefined;
  }

  #isBest(metrics: Readonly<Record<string, number>>): boolean {
    const validated = metrics["val/loss"], isValidated = validated !== undefined;
    const loss = validated ?? metrics["train/loss"] ?? NaN, best = this.#best;
    // A training loss cannot be compared with a validation loss.
    if (best !== undefined && best.isValidated && !isValidated) return false;
    const isFirst = best === undefined || (isValidated && !best.isValidated);
    if (Number.isNaN(loss) || (!isFirst && loss >= best.loss)) return false;
    this.#best = { loss, isValidated };
    return true;
  }
}
