/** Meanings that tensors could have, by name of the tensor. */
export type WouldMap = Readonly<Record<string, readonly string[]>>;

/** A mismatch between a model and its manifest. */
export interface Mismatch {
  /** The requirement that is not met. */
  readonly expected: string;
  /** The state that was found instead. */
  readonly found: string;
  /** Meanings that tensors could have according to their types and shapes, by name of the tensor. */
  readonly wouldMap: WouldMap;
  /** Way to resolve the mismatch, if stating the meaning of a tensor is not enough. */
  readonly remedy?: string;
}

/**
 * Error thrown if a model file does not fit its manifest or its reference.
 *
 * @example
 * ```ts
 * import { ModelMismatchError, OnnxModel } from "@hooke/hooke/models/onnx";
 * import { lennardJonesModel } from "@hooke/hooke/onnx";
 * import { assertRejects } from "@std/assert";
 *
 * const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
 * const outputs = { energy: { tensor: "E" } }; // the file has no output of that name
 * await assertRejects(() => OnnxModel.open(bytes, { outputs }), ModelMismatchError, "E");
 * ```
 */
export class ModelMismatchError extends Error implements Mismatch {
  /** Name of the error. It identifies the class across realms. */
  override readonly name = "ModelMismatchError";
  /** Name of the model. */
  readonly model: string;
  /** The requirement that is not met. */
  readonly expected: string;
  /** The state that was found instead. */
  readonly found: string;
  /** Meanings that tensors could have according to their types and shapes, by name of the tensor. */
  readonly wouldMap: WouldMap;

  /**
   * Creates an error whose message contains the requirement, the state that was found, the remedy and the possible
   * meanings.
   */
  constructor(model: string, { expected, found, wouldMap, remedy }: Mismatch) {
    const could = Object.entries(wouldMap).filter(([, meanings]) => meanings.length > 0)
      .map(([tensor, meanings]) => `${tensor} as ${meanings.join(" or ")}`).join(", ");
    const way = [remedy, could === "" ? undefined : `possible meanings: ${could}`];
    super(
      [`Cannot use ${model}: ${expected}; ${found}`, ...way.filter((text) => text !== undefined)]
        .join("; "),
    );
    this.model = model;
    this.expected = expected;
    this.found = found;
    this.wouldMap = wouldMap;
  }
}
