/**
 * The molecules that steps of ANI-1x are measured on: the ten that stand beside the model, over and over, each copy
 * with its atoms a little elsewhere.
 *
 * @module
 */

import { modelFolder } from "./models.ts";
import { type StoredSystem, storedSystems } from "./stored.ts";

/** Input of Hooke and of the peers. */
export interface Molecules {
  /** The model's file. */
  readonly model: string;
  readonly systems: readonly StoredSystem[];
}

/** Number of molecules, and largest displacement of an atom along each axis in Å. */
const COUNT = 64, FAR = 0.02;

/** The elements that the model knows, in its order. */
export const ELEMENTS = ["H", "C", "N", "O"] as const;

/** The molecules, where the models stand beside the project. */
export async function molecules(): Promise<Molecules | undefined> {
  const folder = await modelFolder();
  if (folder === undefined) return undefined;
  const ten = await storedSystems(folder, "ani1x_1", [1, 6, 7, 8]);
  const systems = Array.from({ length: COUNT }, (_, copy) => {
    const { numbers, positions } = ten[copy % ten.length]!;
    const moved = positions.map((x, i) => x + FAR * Math.sin(copy * 977 + i * 7919));
    return { numbers, positions: copy < ten.length ? positions : moved };
  });
  return { model: `${folder}/ani1x_1_ef.onnx`, systems };
}
