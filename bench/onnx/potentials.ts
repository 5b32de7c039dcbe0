/**
 * Inputs of the comparisons of potentials of crystals: the file of the model, its options, and one structure.
 *
 * @module
 */

import { crystal } from "./around_run.ts";
import { exportedModel, modelFolder } from "./models.ts";

/** Options of `OnnxModel.open`, for the files that have no manifest beside them. */
export const OPTIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  sevennet0_e: {
    cutoff: 5,
    // Its own numbers of the elements of the crystal.
    elements: { Li: 39, Fe: 24, P: 53, O: 51 },
  },
  chgnet_e: { cutoff: 6, reach: 3, triplets: "ordered", inputs: { numbers: "species" } },
};

/** Input of Hooke and of the peers. */
export interface PotentialInput {
  /** The model's file. */
  readonly model: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly symbols: readonly string[];
  /** Å, three per atom. */
  readonly positions: readonly number[];
  /** Lengths of the edges of the orthogonal cell, Å. */
  readonly cell: readonly number[];
}

/** Edge of the cubic cell of CaTiO3 and largest displacement along each axis, Å. */
const EDGE = 3.9, FAR = 0.1;
const PEROVSKITE = [
  ["Ca", 0, 0, 0],
  ["Ti", 0.5, 0.5, 0.5],
  ["O", 0.5, 0.5, 0],
  ["O", 0.5, 0, 0.5],
  ["O", 0, 0.5, 0.5],
] as const;

/** Returns 2 × 2 × 2 cells of CaTiO3, 40 atoms, each displaced a little. */
function perovskite(): Pick<PotentialInput, "symbols" | "positions" | "cell"> {
  const symbols: string[] = [], positions: number[] = [];
  for (let corner = 0; corner < 8; corner++) {
    for (const [symbol, ...place] of PEROVSKITE) {
      symbols.push(symbol);
      place.forEach((x, k) => {
        const moved = FAR * Math.sin(positions.length * 7919);
        positions.push(EDGE * (x + (corner >> k & 1)) + moved);
      });
    }
  }
  return { symbols, positions, cell: [2 * EDGE, 2 * EDGE, 2 * EDGE] };
}

/** Returns the cell of LiFePO4, 28 atoms. */
function phosphate(): Pick<PotentialInput, "symbols" | "positions" | "cell"> {
  const { symbols, positions, cell } = crystal();
  return { symbols: symbols!, positions: [...positions as number[]], cell: cell as number[] };
}

/** Returns the input of CHGNet; `undefined` if the models do not exist. */
export async function chgnetInput(): Promise<PotentialInput | undefined> {
  return await beside("chgnet_e", perovskite());
}

/** Returns the input of SevenNet-0; `undefined` if the models do not exist. */
export async function sevennetInput(): Promise<PotentialInput | undefined> {
  return await beside("sevennet0_e", phosphate());
}

/** Returns the input of MACE-MP-0 small; `undefined` if it was not exported. */
export async function maceInput(): Promise<PotentialInput | undefined> {
  const model = await exportedModel("mace_mp_small");
  return model === undefined ? undefined : { model, options: {}, ...phosphate() };
}

async function beside(
  name: string,
  structure: Pick<PotentialInput, "symbols" | "positions" | "cell">,
): Promise<PotentialInput | undefined> {
  const folder = await modelFolder();
  if (folder === undefined) return undefined;
  return { model: `${folder}/${name}.onnx`, options: OPTIONS[name]!, ...structure };
}
