import { wholeFrom } from "../../base/check_number.ts";
import type { MetricsContext } from "../../training/stages.ts";
import { fileSystemFor, pathIn } from "../any/file_system.ts";
import { checkGiven, checkNumber, checkType, isFlag } from "../any/hook_options.ts";
import { checkSaved, checkTraining, type HookName, isPlace } from "../training/training_options.ts";

/** What a {@linkcode Checkpoint} is told. */
export interface CheckpointOptions extends HookName {
  /** The folder of its files, which is made where it is not there. */
  readonly outputDir: string | URL;
  /**
   * A checkpoint after every so many epochs.
   *
   * @default 1
   */
  readonly saveEveryNEpochs?: number;
  /**
   * Whether there is one of the best epoch, too.
   *
   * @default true
   */
  readonly saveBest?: boolean;
}

const NAME = "Checkpoint";

/**
 * Writes `checkpoint_epoch_N.hooke` when so many epochs are done, N from 1, and `best_model.hooke` whenever `"val/loss"`
 * is less than ever before (without validation `"train/loss"`). All of them are kept; for the best few alone there is
 * `ModelCheckpoint`.
 *
 * Throws a TypeError or RangeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { Checkpoint } from "@hooke/hooke/observe";
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
 * const outputDir = await Deno.makeTempDir();
 * await using trainer = new Trainer({
 *   ...{ model: builder.build(), loss: meanSquaredError({ target: "wanted" }), data },
 *   ...{ optimizers: sgd({ lr: 0.1 }), epochs: 4 },
 *   hooks: [new Checkpoint({ outputDir, saveEveryNEpochs: 2 })],
 * });
 * await trainer.train();
 * const files = [...Deno.readDirSync(outputDir)].map(({ name }) => name).sort();
 * assertEquals(files, ["best_model.hooke", "checkpoint_epoch_2.hooke", "checkpoint_epoch_4.hooke"]);
 * ```
 */
export class Checkpoint {
  /** What it is called. */
  readonly name: string;
  /** A checkpoint that is not there must not go unnoticed. */
  readonly onError = "throw";
  readonly #dir: string;
  readonly #every: number;
  readonly #saveBest: boolean;
  #best: { readonly loss: number; readonly isValidated: boolean } | undefined;

  /** Writes nothing yet. */
  constructor(options: CheckpointOptions) {
    checkTraining(NAME, options, ["outputDir", "saveEveryNEpochs", "saveBest", "name"]);
    checkGiven(NAME, options, "outputDir", "the folder of its files");
    checkType(NAME, options, "outputDir", "a path", isPlace);
    checkNumber(NAME, options, "saveEveryNEpochs", wholeFrom(1));
    checkType(NAME, options, "saveBest", "true or false", isFlag);
    this.name = options.name ?? "checkpoint";
    this.#dir = pathIn(options.outputDir);
    this.#every = options.saveEveryNEpochs ?? 1;
    this.#saveBest = options.saveBest ?? true;
  }

  /** The least loss so far; NaN before there was one. */
  get bestLoss(): number {
    return this.#best?.loss ?? NaN;
  }

  /** Makes the folder. Called by the trainer. */
  async open(): Promise<void> {
    await fileSystemFor(NAME).mkdir(this.#dir, { recursive: true });
  }

  /** Asks for what is to be written. Called by the trainer. */
  onEpochEnd({ epoch, metrics, outcome, trainer }: MetricsContext): void {
    if (outcome.status !== "completed") return;
    if (this.#saveBest && this.#isBest(metrics)) {
      trainer.checkpointSoon(pathIn(this.#dir, "best_model.hooke"));
    }
    if ((epoch + 1) % this.#every !== 0) return;
    trainer.checkpointSoon(pathIn(this.#dir, `checkpoint_epoch_${epoch + 1}.hooke`));
  }

  /** What a checkpoint keeps: plain data. Called by the trainer. */
  save(): unknown {
    return { best: this.#best ?? null };
  }

  /** Goes on where `save` was called. Throws a TypeError for what it did not give. Called by the trainer. */
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
    // Losses of training say nothing beside those of validation.
    if (best !== undefined && best.isValidated && !isValidated) return false;
    const isFirst = best === undefined || (isValidated && !best.isValidated);
    if (Number.isNaN(loss) || (!isFirst && loss >= best.loss)) return false;
    this.#best = { loss, isValidated };
    return true;
  }
}
