/**
 * Which tensors of an ONNX model mean what.
 *
 * @module
 */

import type { TensorInfo } from "../onnx/session_tensor.ts";
import { ModelMismatchError } from "./model_mismatch_error.ts";

/** What an input of a model may be. */
export type OnnxInput =
  | "positions"
  | "numbers"
  | "edges"
  | "edgeSources"
  | "edgeTargets"
  | "shifts"
  | "batchIndex"
  | "edgeBatchIndex"
  | "systems";

/** What an output of a model may be. */
export type OnnxOutput = "energy" | "forces";

/** What is to be known of a model that its file does not say by itself. */
export interface OnnxManifest {
  /** Pairs further apart do not feel each other. Å. */
  readonly cutoff: number;
  /**
   * Meaning → name of the input.
   *
   * @default guessed from names
   */
  readonly inputs?: { readonly [k in OnnxInput]?: string };
  /**
   * Meaning → name of the output.
   *
   * @default guessed from names
   */
  readonly outputs?: { readonly [k in OnnxOutput]?: string };
  /**
   * Whether each pair is listed both ways, or once.
   *
   * @default "full"
   */
  readonly neighbours?: "full" | "half";
  /**
   * Element → its number in the model's `numbers`.
   *
   * @default atomic numbers
   */
  readonly elements?: Readonly<Record<string, number>>;
  /**
   * What one unit of the model's energies is, eV: 27.211386 for Hartree.
   *
   * @default 1
   */
  readonly energyUnit?: number;
}

/** The tensors of a model by meaning. */
export interface OnnxTensors {
  /** Meaning → input. */
  readonly inputs: ReadonlyMap<OnnxInput, TensorInfo>;
  /** Meaning → name of the output. */
  readonly outputs: ReadonlyMap<OnnxOutput, string>;
}

/** The names by which a tensor is known when nobody says what it means. */
const INPUT_NAMES: Readonly<Record<OnnxInput, readonly string[]>> = {
  positions: ["positions", "pos", "coordinates", "coords", "r", "xyz"],
  numbers: ["numbers", "z", "species", "atomic_numbers", "atomicnumbers", "elements", "types"],
  edges: ["edge_index", "edges", "neighbor_list", "neighbour_list", "edgeindex"],
  edgeSources: ["edge_src", "idx_i", "senders", "centers"],
  edgeTargets: ["edge_dst", "idx_j", "receivers", "neighbors"],
  shifts: ["shifts", "offsets", "edge_shifts", "shift_vectors"],
  batchIndex: ["batch_idx", "batch", "batch_index", "system_idx", "idx_m"],
  edgeBatchIndex: ["edge_batch"],
  systems: ["energy0", "systems"],
};
const OUTPUT_NAMES: Readonly<Record<OnnxOutput, readonly string[]>> = {
  energy: ["energy", "energies", "e", "total_energy", "y"],
  forces: ["forces", "force", "f"],
};

/**
 * Finds what each tensor means: as the manifest says, else by its name. Throws a ModelMismatchError where an input has
 * no meaning, or where positions or energy are not found.
 */
export function matchTensors(
  model: string,
  inputs: readonly TensorInfo[],
  outputs: readonly TensorInfo[],
  manifest: OnnxManifest,
): OnnxTensors {
  const found = match(model, "inputs", INPUT_NAMES, inputs, manifest.inputs ?? {});
  const given = match(model, "outputs", OUTPUT_NAMES, outputs, manifest.outputs ?? {});
  const unknown = inputs.filter((one) => ![...found.values()].includes(one));
  if (unknown.length > 0) {
    throw new ModelMismatchError(
      model,
      `each input must have a meaning (${Object.keys(INPUT_NAMES).join(", ")})`,
      `nobody says what ${unknown.map(({ name }) => name).join(", ")} means`,
      `a manifest such as { inputs: { positions: ${JSON.stringify(unknown[0]!.name)} } }`,
    );
  }
  const required: readonly (readonly [string, boolean])[] = [
    ["positions", found.has("positions")],
    ["energy", given.has("energy")],
    ["forces", given.has("forces")],
  ];
  for (const [what, isThere] of required) {
    if (isThere) continue;
    throw new ModelMismatchError(
      model,
      `it must have ${what}`,
      `it has ${[...inputs, ...outputs].map(({ name }) => name).join(", ")}`,
      `a manifest that names the tensor with ${what}`,
    );
  }
  return {
    inputs: found,
    outputs: new Map([...given].map(([meaning, { name }]) => [meaning, name])),
  };
}

function match<M extends string>(
  model: string,
  side: "inputs" | "outputs",
  names: Readonly<Record<M, readonly string[]>>,
  tensors: readonly TensorInfo[],
  said: { readonly [k in M]?: string },
): Map<M, TensorInfo> {
  const found = new Map<M, TensorInfo>();
  const there = tensors.map(({ name }) => name);
  for (const meaning of Object.keys(said) as M[]) {
    const tensor = tensors.find(({ name }) => name === said[meaning]);
    if (!Object.hasOwn(names, meaning) || tensor === undefined) {
      throw new ModelMismatchError(
        model,
        `its manifest must say which of its ${side} is which (${Object.keys(names).join(", ")})`,
        `${meaning} is said to be ${JSON.stringify(said[meaning])}`,
        `one of ${there.join(", ")}`,
      );
    }
    found.set(meaning, tensor);
  }
  const taken = new Set([...found.values()]);
  for (const meaning of Object.keys(names) as M[]) {
    if (found.has(meaning)) continue;
    const tensor = tensors.find((one) =>
      !taken.has(one) && names[meaning].includes(one.name.toLowerCase())
    );
    if (tensor !== undefined) found.set(meaning, tensor), taken.add(tensor);
  }
  return found;
}
