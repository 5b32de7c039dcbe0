/**
 * A file matched with its manifest, without a session: engines and trainers use it to compute the inputs of
 * graphs.
 *
 * @module
 */

import type { TensorInfo } from "../../onnx/session/session_tensor.ts";
import type { OnnxBindings } from "./bindings.ts";
import type { ModelReach } from "./companion.ts";
import type { OnnxDerive } from "./derived_inputs.ts";
import { elementsOf, type OnnxElements } from "./elements.ts";
import { type NumberLimit, numberLimits } from "./elements/number_limits.ts";
import { unitsOf } from "./manifest/units.ts";
import type { LoadedOnnx } from "./options.ts";
import { reachOf } from "./reach.ts";

/** Default distance in Å beyond the cutoff up to which pairs are listed. */
export const SKIN = 0.5;

/** A model whose tensors have meanings. */
export interface MatchedOnnx extends ModelReach {
  /** Numbers and energies of elements. */
  readonly elements: OnnxElements;
  /** Tables of its graph that are indexed by element numbers. */
  readonly limits: readonly NumberLimit[];
}

/** Tensors of a model. */
export interface OnnxTensors {
  /** Its inputs. */
  readonly inputs: readonly TensorInfo[];
  /** Its outputs. */
  readonly outputs: readonly TensorInfo[];
}

/**
 * Returns a model of a file and the meanings of its tensors. Throws a RangeError if a cutoff is missing or
 * wrong.
 */
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
