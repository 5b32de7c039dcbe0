/**
 * A model whose tensors have no meanings yet.
 *
 * @module
 */

import { show } from "../../../base/show.ts";
import { didYouMean } from "../../../base/did_you_mean.ts";
import type { TensorInfo } from "../../../onnx/session/session_tensor.ts";
import { ModelMismatchError } from "../model_mismatch_error.ts";
import type { OnnxManifest } from "./manifest.ts";

/** A model whose tensors have no meanings yet, with its manifest. */
export interface OnnxMatchable {
  /** Name of the model in error messages. */
  readonly name: string;
  /** Inputs of the model. */
  readonly inputs: readonly TensorInfo[];
  /** Outputs of the model. */
  readonly outputs: readonly TensorInfo[];
  /** Merged manifest of the model. */
  readonly manifest: OnnxManifest;
  /** Returns the origin of a member of the manifest, such as `"the options"`. */
  readonly by: (member: keyof OnnxManifest) => string;
  /** Names of the inputs that custom functions compute. */
  readonly derived: readonly string[];
  /**
   * Names of the outputs that were added by differentiating the energy.
   *
   * @default undefined
   */
  readonly made?: { readonly forces: string; readonly virial: string | undefined };
}

/**
 * Returns the input or output with a name. Throws a ModelMismatchError if the model has no such tensor. `member` is
 * the member of the manifest that contains the name.
 */
export function tensorOf(
  model: OnnxMatchable,
  side: "inputs" | "outputs",
  name: string,
  member: string,
): TensorInfo {
  const tensor = model[side].find((one) => one.name === name);
  if (tensor !== undefined) return tensor;
  const names = model[side].map((one) => one.name);
  throw new ModelMismatchError(model.name, {
    expected: `${member} must name one of its ${side}, ${names.join(", ")}`,
    found: `it names ${show(name)}${didYouMean(name, names)}`,
    wouldMap: {},
  });
}
