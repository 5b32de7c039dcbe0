import type {
  BatchContext,
  LossContext,
  NormContext,
  TrainingBase,
} from "../../training/stages.ts";
import { checkType, isFlag, isOneOf } from "../any/hook_options.ts";
import {
  countNotFinite,
  NotFiniteError,
  notFiniteIn,
  type NotFiniteTensor,
} from "../../training/not_finite_error.ts";
import { printLine } from "../any/print_line.ts";
import {
  checkSaved,
  checkTraining,
  checkWrite,
  TRAINING_TIMES,
  type TrainingHookTimes,
  trainingTimesOf,
} from "./training_options.ts";

/**
 * Reaction to a value that is not finite. `raise` ends the run with a `NotFiniteError`; `skip` leaves the parameters
 * unchanged and continues with the next step; `break` writes the error, halts in an attached debugger, and stops the
 * run.
 */
export type NanGuardMode = "raise" | "skip" | "break";

/** Options of {@linkcode NanGuard}. The schedule options count batches, and steps for gradients. */
export interface NanGuardOptions extends TrainingHookTimes {
  /**
   * Reaction to a value that is not finite.
   *
   * @default "raise"
   */
  readonly mode?: NanGuardMode;
  /**
   * Writes the shapes of each checked batch.
   *
   * @default false
   */
  readonly logShapes?: boolean;
  /**
   * Checks gradients, too, and not only losses.
   *
   * @default true
   */
  readonly checkGradients?: boolean;
  /**
   * Function that takes each line, without a newline.
   *
   * @default console.log
   */
  readonly write?: (line: string) => void;
}

const NAME = "NanGuard";
const OPTIONS = ["mode", "logShapes", "checkGradients", "write", ...TRAINING_TIMES];

/**
 * Checks for NaN and infinite values before they change parameters: in the loss of each batch, and in the gradients
 * of each step. The error names tensor, batch and step. If the loss is not finite, it also names the tensors of the
 * batch with values that are not finite.
 *
 * The check costs one norm of the gradients. Single gradients are read only if the norm is not finite.
 *
 * The constructor throws a TypeError or RangeError if an option is not valid; the message names the option.
 *
 * @example
 * ```ts
 * import { GraphBuilder } from "@hooke/hooke/onnx";
 * import { NanGuard, NotFiniteError } from "@hooke/hooke/observe";
 * import { meanSquaredError, sgd, tensorData, Trainer } from "@hooke/hooke/training";
 * import { assertRejects } from "@std/assert";
 *
 * const builder = new GraphBuilder("line"); // y = w x
 * const w = builder.parameter("w", [0], [1, 1]);
 * const x = builder.input("x", "f32", ["B", 1]);
 * builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
 * await using trainer = new Trainer({
 *   model: builder.build(),
 *   loss: meanSquaredError({ target: "wanted" }),
 *   data: tensorData({
 *     x: { data: Float32Array.of(1, 2), dims: [2, 1] },
 *     wanted: { data: Float32Array.of(2, NaN), dims: [2, 1] },
 *   }, { batchSize: 1, shuffle: false }),
 *   optimizers: sgd({ lr: 0.1 }),
 *   hooks: [new NanGuard()],
 * });
 * await assertRejects(() => trainer.train(), NotFiniteError, "in step 1, batch 1");
 * ```
 */
export class NanGuard {
  /** Name of the hook. */
  readonly name: string;
  /** Ends the run on an error, because no valid step can follow. */
  readonly onError = "throw";
  readonly #mode: NanGuardMode;
  readonly #logShapes: boolean;
  readonly #checkGradients: boolean;
  readonly #write: (line: string) => void;
  #skipped = 0;
  /** Step in which a loss was not finite; −1 if there is no such step. */
  #nonFiniteStep = -1;

  /** Creates the hook. */
  constructor(options: NanGuardOptions = {}) {
    checkTraining(NAME, options, OPTIONS);
    const isMode = isOneOf("raise", "skip", "break");
    checkType(NAME, options, "mode", '"raise", "skip" or "break"', isMode);
    checkType(NAME, options, "logShapes", "true or false", isFlag);
    checkType(NAME, options, "checkGradients", "true or false", isFlag);
    checkWrite(NAME, options);
    const { name = "nan_guard", mode = "raise", logShapes = false, checkGradients = true } =
      options;
    this.name = name;
    Object.assign(this, trainingTimesOf(NAME, options));
    this.#mode = mode;
    this.#logShapes = logShapes;
    this.#checkGradients = checkGradients;
    this.#write = options.write ?? printLine;
  }

  /** Number of steps that the hook has vetoed. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Writes the shapes of a batch, if `logShapes` is set. Called by the trainer. */
  onBatchBegin({ batch, batchIdx, epoch }: BatchContext): void {
    if (!this.#logShapes) return;
    const shapes = Object.entries(batch.feeds).map(([name, { data, dims }]) =>
      `${name} [${[...dims ?? [data.length]].join(", ")}]`
    );
    this.#write(`epoch ${epoch + 1}  batch ${batchIdx}  ${shapes.join("  ")}`);
  }

  /**
   * Checks a loss. If it is not finite, reports it together with the tensors of the batch that have values which are
   * not finite. Called by the trainer.
   */
  onAfterLoss(ctx: LossContext): void {
    if (Number.isFinite(ctx.loss)) return;
    this.#nonFiniteStep = ctx.stepCount;
    this.#report(ctx, [{ tensor: "loss", count: 1 }, ...notFiniteIn(ctx.batch)]);
  }

  /**
   * Returns false, which skips the step, if the loss was not finite, or if `checkGradients` is set and the norm of the
   * gradients is not finite. In the second case, reports the affected gradients. Called by the trainer.
   */
  onMayUpdate(ctx: NormContext): boolean | Promise<boolean> {
    // A loss that is not finite has been reported already. Its gradients are not searched again.
    if (this.#nonFiniteStep === ctx.stepCount) return this.#veto();
    if (!this.#checkGradients || Number.isFinite(ctx.gradNorm)) return true;
    return this.#findGradients(ctx);
  }

  /** Returns the state for a checkpoint as plain data. Called by the trainer. */
  save(): { readonly skipped: number } {
    return { skipped: this.#skipped };
  }

  /** Restores a state that `save` returned. Throws a TypeError for any other value. Called by the trainer. */
  load(state: unknown): void {
    checkSaved(NAME, state, ["skipped"]);
    this.#skipped = (state as { readonly skipped: number }).skipped;
    this.#nonFiniteStep = -1;
  }

  async #findGradients(ctx: NormContext): Promise<boolean> {
    const found: NotFiniteTensor[] = [];
    for (const { name, optimizer } of ctx.trainer.parameters) {
      if (optimizer < 0) continue;
      const count = countNotFinite(await ctx.trainer.parameter(name, "gradients"));
      if (count > 0) found.push({ tensor: `gradient of ${name}`, count });
    }
    if (found.length === 0) found.push({ tensor: "norm of the gradients", count: 1 });
    this.#report(ctx, found);
    return this.#veto();
  }

  /** Counts a vetoed step, and returns false. */
  #veto(): boolean {
    this.#skipped++;
    this.#nonFiniteStep = -1; // a vetoed step does not count, so the next one has the same number
    return false;
  }

  #report(ctx: TrainingBase & BatchContext, tensors: readonly NotFiniteTensor[]): void {
    const { epoch, batchIdx: batch, stepCount: step, trainer } = ctx;
    const error = new NotFiniteError(trainer.name, { epoch, batch, step, tensors });
    if (this.#mode === "raise") throw error;
    this.#write(error.message);
    if (this.#mode === "skip") return;
    // deno-lint-ignore no-debugger -- this is what the mode is for
    debugger;
    ctx.stop(error.message);
  }
}
