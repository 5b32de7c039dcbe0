/**
 * A model's file with the meanings of its tensors, without a session. Engines and trainers use it to compute the
 * inputs of the graph.
 *
 * @module
 */

import type { TensorInfo } from "../../onnx/session/session_tensor.ts";
import type { OnnxBindings } from "./bindings.ts";
import type { ModelReach } from "./parts/companion.ts";
import type { OnnxDerive } from "./derived_inputs.ts";
import { elementsOf, type OnnxElements } from "./elements.ts";
import { type NumberLimit, numberLimits } from "./elements/number_limits.ts";
import { unitsOf } from "./manifest/units.ts";
import type { LoadedOnnx } from "./options.ts";
import { reachOf } from "./reach.ts";

/** Default of the option `skin`: the distance in Å beyond the cutoff up to which pairs are listed. */
export const SKIN = 0.5;

/** A model whose tensors have meanings. */
export interface MatchedOnnx extends ModelReach {
  /** Numbers that the model uses for the elements, and energies of free atoms. */
  readonly elements: OnnxElements;
  /** Tables of the graph whose rows are selected by element numbers. */
  readonly limits: readonly NumberLimit[];
}

/** Tensors of a model. */
export interface OnnxTensors {
  /** Inputs of the model. */
  readonly inputs: readonly TensorInfo[];
  /** Outputs of the model. */
  readonly outputs: readonly TensorInfo[];
}

/** Combines a model's file with the meanings of its tensors. Throws a RangeError if a cutoff is missing or invalid. */
export function matchedModel(
  loaded: LoadedOnnx,
  bindings: OnnxBindings,
  derived: Readonly<Record<string, OnnxDerive>>,
): MatchedOnnx {
  const { name, manifest, file } = loaded;
  const numbers = bindings.inputs.find(({ meaning }) => meaning === "numbers");
  return {
    name,
    bindings,
    limits: numbers === undefined ? [] : numberLimits(file, numbers.tensor.name),
    derived,
    ...reachOf(loaded, bindings),
    constants: manifest.constants ?? {},
    elements: elementsOf(manifest),
    isHalf: manifest.neighbors === "half",
    perAngstrom: 1 / unitsOf(manifest).length,
  };
}
