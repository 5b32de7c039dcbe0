/**
 * Manifests of exported potentials that are wrong in one thing, each of which the reference must find.
 *
 * @module
 */

import { ModelMismatchError, OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";

/** The members of a manifest that are changed. */
export interface RightManifest {
  /** Å. */
  readonly cutoff: number;
  /** Å. */
  readonly reach?: number;
  /** Order of triplets. */
  readonly triplets?: "ordered" | "unordered";
  /** Numbers of elements. */
  readonly elements: readonly string[] | Readonly<Record<string, number>>;
  /** Further lists of edges. */
  readonly lists?: NonNullable<OnnxModelOptions["lists"]>;
  /** eV. */
  readonly atomEnergies?: Readonly<Record<string, number>>;
}

/** Result of opening a model with a wrong manifest. */
export interface Caught {
  /** Description of the fault in the manifest. */
  readonly what: string;
  /** Undefined if the model was opened without an error. */
  readonly message: string | undefined;
  /** True if the message names the correction. */
  readonly isExplained: boolean;
}

/** Returns wrong manifests by what is wrong in them. */
export function wrongManifests(right: RightManifest): Record<string, OnnxModelOptions> {
  const { cutoff, reach, triplets, lists, atomEnergies } = right;
  return {
    "unit of energy": { energyUnit: "kcal/mol" },
    "unit of length": { lengthUnit: "Bohr" },
    "shifted elements": { elements: shifted(right.elements) },
    "short cutoff": { cutoff: Math.max(reach ?? 0, 0.7 * cutoff) },
    "half lists": { neighbors: "half" },
    ...(reach === undefined ? {} : { "short reach": { reach: 0.7 * reach } }),
    ...(triplets === undefined
      ? {}
      : { "order of triplets": { triplets: triplets === "ordered" ? "unordered" : "ordered" } }),
    ...(lists === undefined ? {} : { "short second cutoff": { lists: shortened(lists) } }),
    ...(atomEnergies === undefined ? {} : {
      "energies of free atoms": {
        atomEnergies: Object.fromEntries(Object.keys(atomEnergies).map((symbol) => [symbol, 0])),
      },
    }),
  };
}

/** Gives each element the number of the next one. */
function shifted(elements: RightManifest["elements"]): Record<string, number> {
  const numbers = Array.isArray(elements)
    ? Object.fromEntries(elements.map((symbol: string, i) => [symbol, i]))
    : elements as Readonly<Record<string, number>>;
  const symbols = Object.keys(numbers);
  return Object.fromEntries(
    symbols.map((symbol, i) => [symbol, numbers[symbols[(i + 1) % symbols.length]!]!]),
  );
}

function shortened(
  lists: NonNullable<OnnxModelOptions["lists"]>,
): NonNullable<OnnxModelOptions["lists"]> {
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, { ...list, cutoff: 0.7 * list.cutoff }]),
  );
}

/** Opens a model with each wrong manifest. */
export async function caughtManifests(path: string, right: RightManifest): Promise<Caught[]> {
  const caught: Caught[] = [];
  for (const [what, wrong] of Object.entries(wrongManifests(right))) {
    const message = await OnnxModel.open(path, wrong).then(
      (model) => model[Symbol.asyncDispose]().then(() => undefined),
      (error) => {
        if (error instanceof ModelMismatchError || error instanceof RangeError) {
          return error.message;
        }
        throw error;
      },
    );
    const isExplained = /agrees with \{|atomEnergies\)/.test(message ?? "");
    caught.push({ what, message, isExplained });
  }
  return caught;
}
