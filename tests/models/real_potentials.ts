/**
 * The real potentials beside the project with their options, and structures of elements that they know.
 *
 * @module
 */

import { parseExtxyz, type SystemInput } from "@hooke/hooke";
import type { OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { MODELS_FOLDER } from "../machine.ts";

/** The elements of SevenNet-0, in the order of its numbers. */
const SEVENNET =
  ("Ac Ag Al Ar As Au B Ba Be Bi Br C Ca Cd Ce Cl Co Cr Cs Cu Dy Er Eu F Fe Ga Gd Ge " +
    "H He Hf Hg Ho I In Ir K Kr La Li Lu Mg Mn Mo N Na Nb Nd Ne Ni Np O Os P Pa Pb Pd Pm Pr Pt Pu Rb Re " +
    "Rh Ru S Sb Sc Se Si Sm Sn Sr Ta Tb Tc Te Th Ti Tl Tm U V W Xe Y Yb Zn Zr").split(" ");

/** A potential. */
export interface RealPotential {
  /** Beginning of the names of its files. */
  readonly name: string;
  /** Options to open it. */
  readonly options: OnnxModelOptions;
  /** Name of the input with the elements. */
  readonly species: string;
  /** Atomic numbers by the model's numbers; all, if these are the same. */
  readonly elements?: readonly string[];
  /** True if there is a file with forces traced by PyTorch. */
  readonly hasForces: boolean;
  /** True if its stored batch has all edges within the cutoff. */
  readonly hasWholeLists: boolean;
  /** Largest difference between forces of two graphs in float32, relative to the largest force. */
  readonly tolerance: number;
  /** Largest difference between energies of two graphs in eV per atom. @default 1e-5 */
  readonly perAtom?: number;
  /** True if edges of 100 Å contribute nothing. */
  readonly ignoresPadding: boolean;
  /** True if it knows metals and salts, not only light elements. */
  readonly isUniversal: boolean;
}

const ANI = ["H", "C", "N", "O"];
const usual = { tolerance: 1e-4, hasWholeLists: true, hasForces: true };
const small = {
  ...usual,
  options: { cutoff: 5 },
  species: "z",
  hasWholeLists: false,
  ignoresPadding: true,
  isUniversal: false,
};

/** All potentials. */
export const POTENTIALS: readonly RealPotential[] = [
  {
    ...usual,
    name: "ani1x_1",
    options: { cutoff: 5.2, reach: 3.5, elements: ANI },
    species: "species",
    elements: ANI,
    ignoresPadding: true,
    isUniversal: false,
  },
  {
    ...usual,
    name: "chgnet",
    options: { cutoff: 6, reach: 3, triplets: "ordered", inputs: { numbers: "species" } },
    species: "species",
    perAtom: 4e-5, // an arc cosine turns 1e-7 into 4e-4 for atoms on a line
    tolerance: 2e-4,
    ignoresPadding: true,
    isUniversal: true,
  },
  {
    ...small,
    name: "mlp",
    options: { cutoff: 5, elements: ANI },
    hasForces: false,
  },
  { ...small, name: "painnx", hasForces: false },
  { ...small, name: "schnet" },
  {
    ...usual,
    name: "sevennet0",
    options: { cutoff: 5, elements: SEVENNET },
    species: "species",
    elements: SEVENNET,
    ignoresPadding: false,
    isUniversal: true,
  },
];

/** Rattled crystals on which SevenNet-0 and CHGNet were compared with their ASE calculators, and the energies, eV. */
export const CRYSTAL_ENERGIES: Readonly<Record<string, readonly number[]>> = {
  sevennet0: [-26.9435, -42.8507, -184.8966, -10.4886],
  chgnet: [-29.2340, -42.2308, -204.7099, -10.3703],
};

/** The rattled crystals: NaCl, Si, LiFePO4, and a skewed cell of two Si. */
export function rattledCrystals(): SystemInput[] {
  const text = Deno.readTextFileSync(`${MODELS_FOLDER}/../structures/crystals.xyz`);
  return parseExtxyz(text).map(({ numbers, positions, cell, pbc }) => ({
    numbers,
    positions,
    cell,
    pbc,
  }));
}

const PERIODIC = [true, true, true] as const;

/**
 * Returns a primitive fcc cell with an atom at the origin and at each of these fractional positions of the
 * cubic cell.
 */
function fccOf(symbols: readonly string[], a: number, ...places: number[][]): SystemInput {
  const h = a / 2;
  return {
    symbols,
    positions: [0, 0, 0, ...places.flat().map((x) => a * x)],
    cell: [0, h, h, h, 0, h, h, h, 0],
    pbc: PERIODIC,
  };
}

/** Structures by name, of elements that a potential knows. */
export function structuresFor(isUniversal: boolean): Record<string, SystemInput> {
  const [metal, a] = isUniversal ? ["Al", 4.05] as const : ["C", 3.6] as const;
  return {
    water: {
      symbols: ["O", "H", "H"],
      positions: [0, 0, 0.12, 0, 0.77, -0.47, 0, -0.75, -0.48],
    },
    ammonia: {
      symbols: ["N", "H", "H", "H"],
      positions: [0.01, 0, 0.1, 0, 0.95, -0.27, 0.83, -0.47, -0.26, -0.8, -0.48, -0.28],
    },
    "an isolated atom": { symbols: ["O"], positions: [1, 2, 3] },
    "two atoms far apart": { symbols: ["C", "N"], positions: [0, 0, 0, 30, 0, 0] },
    "a cell of one atom": fccOf([metal], a),
    "a cell of one atom, alone": {
      symbols: ["H"],
      positions: [0, 0, 0],
      cell: [20, 0, 0, 0, 20, 0, 0, 0, 20],
      pbc: PERIODIC,
    },
    "a slab": {
      symbols: [metal, metal, metal],
      positions: [0, 0, 0, a / 2 + 0.05, a / 2, a / 2, 0, 0.04, a],
      cell: [a, 0, 0, 0, a, 0, 0, 0, 4 * a],
      pbc: [true, true, false],
    },
    "rattled, of two elements": isUniversal
      ? fccOf(["Na", "Cl"], 5.6, [0.51, 0.49, 0.5])
      : fccOf(["C", "N"], 3.7, [0.26, 0.24, 0.25]),
  };
}

/** Crystals in which each atom has the same surroundings, so that angles are exactly 180° and forces exactly 0. */
export function perfectCrystals(isUniversal: boolean): SystemInput[] {
  return isUniversal
    ? [fccOf(["Na", "Cl"], 5.64, [0.5, 0.5, 0.5]), fccOf(["Si", "Si"], 5.43, [0.25, 0.25, 0.25])]
    : [fccOf(["C", "C"], 3.57, [0.25, 0.25, 0.25]), fccOf(["C", "O"], 4.2, [0.5, 0.5, 0.5])];
}
