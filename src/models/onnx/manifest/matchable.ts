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

/** A model with its manifest. */
export interface OnnxMatchable {
  /** Name of the model in error messages. */
  readonly name: string;
  /** Its inputs. */
  readonly inputs: readonly TensorInfo[];
  /** Its outputs. */
  readonly outputs: readonly TensorInfo[];
  /** Its manifest. */
  readonly manifest: OnnxManifest;
  /** Returns the origin of a member of the manifest: `"the options"`. */
  readonly by: (member: keyof OnnxManifest) => string;
  /** Names of the inputs that custom functions compute. */
  readonly derived: readonly string[];
  /**
   * Outputs that were added by differentiating its energy.
   *
   * @default undefined
   */
  readonly made?: { readonly forces: string; readonly virial: string | undefined };
}

/** Returns a tensor by its name. Throws a ModelMismatchError if no tensor has it. */
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
