/** A tensor in which something is not finite. */
export interface NotFiniteTensor {
  /** Which it is, in words: `loss`, `gradient of fc1.weight`, `x of the batch`. */
  readonly tensor: string;
  /** How many of its numbers are NaN or infinite. */
  readonly count: number;
}

/** Loss or gradients are NaN or infinite: parameters must not be moved by them. */
export class NotFiniteError extends Error {
  /** What errors of this kind are called. */
  override readonly name = "NotFiniteError";
  /** Epochs done before this one. */
  readonly epoch: number;
  /** Batches of the epoch before this one. */
  readonly batch: number;
  /** Steps done before this one. */
  readonly step: number;
  /** What is not finite. */
  readonly tensors: readonly NotFiniteTensor[];

  /** Says which tensors, how many numbers of each, and where. */
  constructor(
    trainer: string,
    { epoch, batch, step, tensors }: {
      readonly epoch: number;
      readonly batch: number;
      readonly step: number;
      readonly tensors: readonly NotFiniteTensor[];
    },
  ) {
    const words = tensors.map(({ tensor, count }) =>
      `${tensor} (${count} number${count === 1 ? "" : "s"})`
    );
    super(
      `Cannot take a step of ${trainer} as loss and gradients must be finite: in step ${step}, batch ${batch} of epoch ` +
        `${epoch + 1}, these are not: ${words.join(", ")}`,
    );
    this.epoch = epoch;
    this.batch = batch;
    this.step = step;
    this.tensors = tensors;
  }
}
