/**
 * Elements: the numbers that a model uses for them, and the energies of free atoms.
 *
 * @module
 */

import type { NumericArray } from "../../batch/fields/fields.ts";
import { atomicNumber, atomicSymbol } from "../../batch/elements.ts";
import type { Batch } from "../../batch/batch.ts";
import { systemName } from "../../batch/store.ts";
import type { OnnxManifest } from "./manifest/manifest.ts";
import type { NumberLimit } from "./elements/number_limits.ts";

/** Numbers that a model uses for the elements, and energies of free atoms. */
export interface OnnxElements {
  /** Number that the model uses for each element, by atomic number; `undefined` if it uses the atomic number itself. */
  readonly numbers: ReadonlyMap<number, number> | undefined;
  /** Energies of free atoms in eV by atomic number; `undefined` if the manifest has no such energies. */
  readonly energies: ReadonlyMap<number, number> | undefined;
}

/** Properties of a batch that show the system of each atom, with the `info` of each system for error messages. */
export type OnnxLayout = Pick<Batch, "size" | "systemOfNode" | "nodeOffsets" | "infos">;

/** Returns the element numbers and the energies of free atoms in a manifest. */
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

/**
 * Returns the number that the model uses for each atom. Throws a RangeError that names the atom if the model does not
 * know its element, or if a table of the graph (`limits`) has no row for its number.
 */
export function modelNumbers(
  model: string,
  { numbers }: OnnxElements,
  batch: OnnxLayout,
  atoms: NumericArray,
  limits: readonly NumberLimit[] = [],
): Int32Array {
  return Int32Array.from(atoms, (number: number, node: number) => {
    const own = numbers === undefined
      ? number
      : numbers.get(number) ?? refuse(model, "every element", numbers, batch, number, node);
    const limit = limits.find(({ range: [least, greatest] }) => own < least || own > greatest);
    if (limit !== undefined) throw beyond(model, limit, { batch, number, node, own });
    // Many tables have a meaningless row 0, so `limits` does not exclude the number 0.
    if (numbers === undefined && number === 0) throw noElement(model, batch, node);
    return own;
  });
}

/** Returns the error for an atom whose number has no row in a table of the graph. */
function beyond(
  model: string,
  { table, range: [least, greatest] }: NumberLimit,
  { batch, number, node, own }: {
    readonly batch: OnnxLayout;
    readonly number: number;
    readonly node: number;
    readonly own: number;
  },
): RangeError {
  return new RangeError(
    `Cannot use ${model} on ${atomOf(batch, node)}: it is ${atomicSymbol(number)}, number ${own} ` +
      `to the model, whose table ${table} is for numbers from ${least} to ${greatest}. Leave the system out, or ` +
      "if the model numbers elements in its own way, state them in its manifest (elements)",
  );
}

/** Returns the error for an atom with the number 0, which is not an element, in a model that uses atomic numbers. */
function noElement(model: string, batch: OnnxLayout, node: number): RangeError {
  return new RangeError(
    `Cannot use ${model} on ${
      atomOf(batch, node)
    }: it is X, which is no element. Give it a symbol, ` +
      "or if the model knows such atoms, name X and the model's number of it in the manifest (elements)",
  );
}

/** Returns a description of an atom with its system, for errors. */
function atomOf(batch: OnnxLayout, node: number): string {
  const system = batch.systemOfNode[node]!;
  const name = systemName(batch.infos, system);
  return `atom ${node - batch.nodeOffsets[system]!} of system ${name}`;
}

/**
 * Returns the sum of the energies of free atoms for each system in eV; `undefined` if the manifest has no such
 * energies. Throws a RangeError that names the atom if the energy of its element is missing.
 */
export function freeEnergies(
  model: string,
  { energies }: OnnxElements,
  batch: OnnxLayout,
  atoms: NumericArray,
): Float64Array | undefined {
  if (energies === undefined) return undefined;
  return Float64Array.from(
    { length: batch.size },
    (_, system) => freeEnergy(model, energies, batch, atoms, system),
  );
}

/**
 * Returns the sum of the energies of free atoms for one system in eV. Throws a RangeError that names the atom if the
 * energy of its element is missing.
 */
export function freeEnergy(
  model: string,
  energies: ReadonlyMap<number, number>,
  batch: OnnxLayout,
  atoms: NumericArray,
  system: number,
): number {
  let sum = 0;
  for (let node = batch.nodeOffsets[system]!; node < batch.nodeOffsets[system + 1]!; node++) {
    const number = atoms[node]!;
    sum += energies.get(number) ??
      refuse(model, "the energy of every atom", energies, batch, number, node);
  }
  return sum;
}

function refuse(
  model: string,
  what: string,
  known: ReadonlyMap<number, number>,
  batch: OnnxLayout,
  number: number,
  node: number,
): never {
  throw new RangeError(
    `Cannot use ${model}: it must know ${what}; it knows ${
      [...known.keys()].map(atomicSymbol).join(", ")
    }, and ${atomOf(batch, node)} is ${atomicSymbol(number)}`,
  );
}
