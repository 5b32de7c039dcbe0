/**
 * Inputs of graphs of atoms that have no manifest. The inputs are recognized by their names.
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

/** Default name of each input. Inputs without a default name are left out. */
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

/**
 * The inputs that options can name. These are all inputs that `OnnxModel` knows, except the number of atoms of each
 * system, which belongs to losses.
 */
export const ATOMS_INPUTS: readonly OnnxInput[] = (Object.keys(INPUTS) as OnnxInput[])
  .filter((meaning) => meaning !== "systemSizes");

/** Inputs that describe triplets of atoms. */
const OF_TRIPLETS: readonly OnnxInput[] = ["tripletCenters", "tripletEdges", "bondGraph"];

/** The members of a manifest that options of data may have. */
export type AtomsManifest = Pick<
  OnnxManifest,
  "cutoff" | "reach" | "triplets" | "nearest" | "neighbors" | "elements" | "invariant"
>;

/** Names of the members of {@linkcode AtomsManifest}. */
export const ATOMS_MANIFEST: readonly (keyof AtomsManifest)[] = [
  "cutoff",
  "reach",
  "triplets",
  "nearest",
  "neighbors",
  "elements",
  "invariant",
];

/** Returns the default name of an input; null if the input is left out by default. */
export function defaultInput(meaning: OnnxInput, { reach }: AtomsManifest): string | null {
  if (reach === undefined && OF_TRIPLETS.includes(meaning)) return null;
  return DEFAULT_INPUTS[meaning] ?? null;
}

/**
 * Returns a description of a model whose inputs have the given names. Each input has the default dtype and the first
 * allowed shape of its meaning. The trainer converts arrays to the dtypes of the graph.
 *
 * @throws {TypeError} if a member of the manifest has the wrong type
 * @throws {RangeError} if a member of the manifest has an invalid value
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
