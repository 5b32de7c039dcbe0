/**
 * A model before it is known what its tensors mean.
 *
 * @module
 */

import { show } from "../../../base/show.ts";
import { didYouMean } from "../../../base/did_you_mean.ts";
import type { TensorInfo } from "../../../onnx/session/session_tensor.ts";
import { ModelMismatchError } from "../model_mismatch_error.ts";
import type { OnnxManifest } from "./manifest.ts";

/** A model, and what is said of it. */
export interface OnnxMatchable {
  /** What errors call it. */
  readonly name: string;
  /** Its inputs. */
  readonly inputs: readonly TensorInfo[];
  /** Its outputs. */
  readonly outputs: readonly TensorInfo[];
  /** What is said of them. */
  readonly manifest: OnnxManifest;
  /** Who says it: `"the options"`. */
  readonly by: (member: keyof OnnxManifest) => string;
  /** The inputs that functions of the user's make. */
  readonly derived: readonly string[];
  /**
   * Outputs that were made by differentiating its energy.
   *
   * @default none
   */
  readonly made?: { readonly forces: string; readonly virial: string | undefined };
}

/** A tensor by its name. Throws a ModelMismatchError for a name that none has. */
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
    expected: `what ${member} names must be one of its ${side}, ${names.join(", ")}`,
    found: `it is ${show(name)}${didYouMean(name, names)}`,
    wouldMap: {},
  });
}
