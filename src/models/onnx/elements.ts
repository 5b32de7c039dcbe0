/**
 * Elements, as a model numbers them.
 *
 * @module
 */

import type { NumericArray } from "../../batch/fields/fields.ts";
import { atomicNumber, atomicSymbol } from "../../batch/elements.ts";
import type { Batch } from "../../batch/batch.ts";
import type { OnnxManifest } from "./manifest/manifest.ts";

/** What a model knows of elements. */
export interface OnnxElements {
  /** Atomic number → the model's own; `undefined` where these are the same. */
  readonly numbers: ReadonlyMap<number, number> | undefined;
  /** Atomic number → energy of a free atom, eV; `undefined` where there are none. */
  readonly energies: ReadonlyMap<number, number> | undefined;
}

/** What a manifest says of elements. */
export function elementsOf({ elements, atomEnergies }: OnnxManifest): OnnxElements {
  const numbered: Readonly<Record<string, number>> | undefined = Array.isArray(elements)
    ? Object.fromEntries(elements.map((symbol: string, i) => [symbol, i]))
    : elements as Readonly<Record<string, number>> | undefined;
  return { numbers: byNumber(numbered), energies: byNumber(atomEnergies) };
}

function byNumber(
  bySymbol: Readonly<Record<string, number>> | undefined,
): ReadonlyMap<number, number> | undefined {
  if (bySymbol === undefined) return undefined;
  return new Map(
    Object.entries(bySymbol).map(([symbol, value]) => [atomicNumber(symbol), value]),
  );
}

/** The model's own number of each atom. Throws a RangeError that names an atom it does not know. */
export function modelNumbers(
  model: string,
  { numbers }: OnnxElements,
  batch: Batch,
  atoms: NumericArray,
): Int32Array {
  return Int32Array.from(atoms, (number: number, node: number) => {
    if (numbers === undefined) return number;
    return numbers.get(number) ?? refuse(model, "every element", numbers, batch, number, node);
  });
}

/** The energies of the free atoms of each system, eV; nothing where there are none. Throws as `modelNumbers` does. */
export function freeEnergies(
  model: string,
  { energies }: OnnxElements,
  batch: Batch,
  atoms: NumericArray,
): Float64Array | undefined {
  if (energies === undefined) return undefined;
  const sums = new Float64Array(batch.size);
  for (const [node, number] of atoms.entries()) {
    sums[batch.systemOfNode[node]!]! += energies.get(number) ??
      refuse(model, "the energy of every atom", energies, batch, number, node);
  }
  return sums;
}

function refuse(
  model: string,
  what: string,
  known: ReadonlyMap<number, number>,
  batch: Batch,
  number: number,
  node: number,
): never {
  const system = batch.systemOfNode[node]!;
  throw new RangeError(
    `Cannot use ${model} as it must know ${what}, and it knows ${
      [...known.keys()].map(atomicSymbol).join(", ")
    }: atom ${node - batch.nodeOffsets[system]!} of system ${system} is ${atomicSymbol(number)}`,
  );
}
