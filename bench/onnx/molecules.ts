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
  /** The model's file, with forces that PyTorch traced into the graph. */
  readonly model: string;
  /** The file with energies only. */
  readonly energies: string;
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
  const [energies, model] = ["e", "ef"].map((kind) => `${folder}/ani1x_1_${kind}.onnx`);
  return { model: model!, energies: energies!, systems };
}

/** Largest displacement of an atom of {@linkcode displacedMolecules} along each axis, Å. */
const FARTHER = 0.1;

/** Returns the molecules with their atoms displaced further, to be relaxed. */
export async function displacedMolecules(): Promise<Molecules | undefined> {
  const given = await molecules();
  return given && {
    ...given,
    systems: given.systems.map(({ numbers, positions }, copy) => ({
      numbers,
      positions: positions.map((x, i) => x + FARTHER * Math.sin(copy * 31 + i * 7919)),
    })),
  };
}
