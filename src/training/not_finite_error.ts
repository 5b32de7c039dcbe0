import type { TrainingBatch } from "./context.ts";

/** A tensor with values that are NaN or infinite. */
export interface NotFiniteTensor {
  /** Description of the tensor, such as `loss`, `gradient of fc1.weight` or `x of the batch`. */
  readonly tensor: string;
  /** Number of its elements that are NaN or infinite. */
  readonly count: number;
}

/** Number of tensors that a message names. */
const SHOWN = 5;

/**
 * Error thrown when a training has diverged: its loss, gradients or parameters are NaN or infinite.
 *
 * @example
 * ```ts
 * import { NotFiniteError } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const tensors = [{ tensor: "loss", count: 1 }];
 * const error = new NotFiniteError("Trainer", { epoch: 0, batch: 2, step: 2, tensors });
 * assertEquals([error.step, error.tensors], [2, tensors]);
 * ```
 */
export class NotFiniteError extends Error {
  /** Name of the error. */
  override readonly name = "NotFiniteError";
  /** Index of the epoch, from 0. */
  readonly epoch: number;
  /** Index of the batch in its epoch, from 0. */
  readonly batch: number;
  /** Index of the step, from 0. */
  readonly step: number;
  /** Tensors with values that are not finite. */
  readonly tensors: readonly NotFiniteTensor[];

  /** Creates the error. The message names the first tensors, the number of their values that are not finite, and the step. */
  constructor(
    trainer: string,
    { epoch, batch, step, tensors }: {
      readonly epoch: number;
      readonly batch: number;
      readonly step: number;
      readonly tensors: readonly NotFiniteTensor[];
    },
  ) {
    const words = tensors.slice(0, SHOWN).map(({ tensor, count }) =>
      `${tensor} (${count} number${count === 1 ? "" : "s"})`
    );
    if (tensors.length > SHOWN) words.push(`and ${tensors.length - SHOWN} more`);
    super(
      `${trainer} diverged in step ${step}, batch ${batch} of epoch ${
        epoch + 1
      }: these values are not finite: ${words.join(", ")}. ` +
        `Look for NaN and infinity in the data; then try a smaller learning rate, clip: { norm: 1 }, or a NanGuard`,
    );
    this.epoch = epoch;
    this.batch = batch;
    this.step = step;
    this.tensors = tensors;
  }
}

/** Returns the floating-point tensors of a batch that have NaN or infinite values, with the number of these values. */
export function notFiniteIn({ feeds }: TrainingBatch): NotFiniteTensor[] {
  return Object.entries(feeds).flatMap(([name, { data }]) => {
    const count = data instanceof Float32Array || data instanceof Float64Array
      ? countNotFinite(data)
      : 0;
    return count === 0 ? [] : [{ tensor: `${name} of the batch`, count }];
  });
}

/** Returns the number of values that are NaN or infinite. */
export function countNotFinite(numbers: ArrayLike<number>): number {
  let count = 0;
  for (let i = 0; i < numbers.length; i++) if (!Number.isFinite(numbers[i])) count++;
  return count;
}
