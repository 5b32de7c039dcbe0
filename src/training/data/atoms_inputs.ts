/**
 * The inputs of graphs of atoms, by names alone: for graphs without a manifest.
 *
 * @module
 */

import { bindingsOf, type OnnxInputBinding } from "../../models/onnx/bindings.ts";
import { elementsOf } from "../../models/onnx/elements.ts";
import type { OnnxInput, OnnxManifest } from "../../models/onnx/manifest/manifest.ts";
import { checkManifest } from "../../models/onnx/manifest/manifest_check.ts";
import { INPUTS } from "../../models/onnx/manifest/meanings.ts";
import { reachOf } from "../../models/onnx/reach.ts";
import type { StructureModel } from "../../models/onnx/structures/structure.ts";

/** Default names of inputs. Others are left out. */
const DEFAULT_INPUTS: { readonly [k in OnnxInput]?: string } = {
  positions: "positions",
  numbers: "z",
  edges: "edge_index",
  shifts: "shifts",
  batchIndex: "batch_idx",
  systems: "energy0",
  tripletCenters: "trip_center",
  tripletEdges: "trip_edge",
};

/** The inputs with names: all that `OnnxModel` knows, except the number of atoms of each system, which losses need. */
export const ATOMS_INPUTS: readonly OnnxInput[] = (Object.keys(INPUTS) as OnnxInput[])
  .filter((meaning) => meaning !== "systemSizes");

/** Inputs of triplets. */
const OF_TRIPLETS: readonly OnnxInput[] = ["tripletCenters", "tripletEdges", "bondGraph"];

/** A part of a manifest, as options of data have it. */
export type AtomsManifest = Pick<
  OnnxManifest,
  "cutoff" | "reach" | "triplets" | "nearest" | "neighbors" | "elements" | "invariant"
>;

/** The names of its members. */
export const ATOMS_MANIFEST: readonly (keyof AtomsManifest)[] = [
  "cutoff",
  "reach",
  "triplets",
  "nearest",
  "neighbors",
  "elements",
  "invariant",
];

/** Returns the default name of an input; null if it is left out. */
export function defaultInput(meaning: OnnxInput, { reach }: AtomsManifest): string | null {
  if (reach === undefined && OF_TRIPLETS.includes(meaning)) return null;
  return DEFAULT_INPUTS[meaning] ?? null;
}

/**
 * Returns a model with inputs of these names, in the usual types and shapes; a trainer converts types.
 *
 * @throws {TypeError} for members of a manifest of the wrong kind
 * @throws {RangeError} for invalid values
 */
export function namedInputs(
  action: string,
  names: ReadonlyMap<OnnxInput, string>,
  manifest: AtomsManifest,
): StructureModel {
  checkManifest(action, "its options", manifest);
  const inputs = Array.from(names, ([meaning, name]): OnnxInputBinding => {
    const { types, forms: [form = []] } = INPUTS[meaning];
    const dtype = types === "float" || meaning === "systems" ? "float32" : "int64";
    return { tensor: { name, dtype, shape: form }, meaning, form, reason: "by names" };
  });
  const bindings = bindingsOf(inputs, [], manifest), name = "the graph";
  return {
    name,
    bindings,
    limits: [],
    derived: {},
    ...reachOf({ name, manifest }, bindings),
    constants: {},
    elements: elementsOf(manifest),
    isHalf: manifest.neighbors === "half",
    perAngstrom: 1,
    isInvariant: manifest.invariant ?? false,
  };
}
