/**
 * The batches on which the real models were evaluated, as systems.
 *
 * @module
 */

import type { SystemInput } from "@hooke/hooke";
import { atomicNumber } from "@hooke/hooke/batch";
import { readReference, type ReferenceTensor } from "../onnx/shared_models.ts";

const ARRAYS = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array };

/** The numbers of a stored tensor. */
export function numbersOf({ type, b64 }: ReferenceTensor): number[] {
  const values = new ARRAYS[type as keyof typeof ARRAYS](Uint8Array.fromBase64(b64).buffer);
  return Array.from(values as ArrayLike<number | bigint>, Number);
}

/** A stored batch, with results of PyTorch in float64. */
export interface StoredBatch {
  /** The systems. */
  readonly systems: readonly { readonly numbers: number[]; readonly positions: number[] }[];
  /** Energies in eV, one per system. */
  readonly energies: readonly number[];
  /** Forces in eV/Å, three per atom. */
  readonly forces: readonly number[];
  /** Source atoms of all edges, then target atoms. */
  readonly edges: readonly number[];
}

/**
 * Returns the stored batch of a model. `elements` are the atomic numbers of its species, if these are
 * indices.
 */
export function storedBatch(
  model: string,
  species: string,
  elements?: readonly number[],
): StoredBatch {
  const { inputs, outputs } = readReference(model);
  const owners = numbersOf(inputs["batch_idx"]!), positions = numbersOf(inputs["positions"]!);
  const numbers = numbersOf(inputs[species]!).map((number) => elements?.[number] ?? number);
  const size = Math.max(...owners) + 1;
  return {
    systems: Array.from({ length: size }, (_, s) => {
      const atoms = owners.flatMap((owner, i) => owner === s ? [i] : []);
      return {
        numbers: atoms.map((i) => numbers[i]!),
        positions: atoms.flatMap((i) => positions.slice(3 * i, 3 * i + 3)),
      };
    }),
    energies: numbersOf(outputs["energy"]!),
    forces: numbersOf(outputs["forces"]!),
    edges: numbersOf(inputs["edge_index"]!),
  };
}

/**
 * Returns the stored batch of a model with cells derived from the shifts of its edges, for lists of Hooke.
 */
export function storedCrystals(
  model: string,
  species: string,
  elements: readonly string[] | undefined,
): {
  readonly systems: SystemInput[];
  readonly energies: number[];
  readonly forces: number[][];
} {
  const { inputs } = readReference(model);
  const owners = numbersOf(inputs["batch_idx"]!), shifts = numbersOf(inputs["shifts"]!);
  const { systems, energies, forces, edges } = storedBatch(
    model,
    species,
    elements?.map(atomicNumber),
  );
  const ends = systems.map((_, s) => owners.lastIndexOf(s) + 1);
  return {
    systems: systems.map((system, s) => {
      const own = edges.slice(0, shifts.length / 3).flatMap((source, e) =>
        owners[source] === s ? [shifts.slice(3 * e, 3 * e + 3)] : []
      );
      const cell = shortestThree(own);
      return cell === undefined ? system : { ...system, cell, pbc: [true, true, true] };
    }),
    energies: [...energies],
    forces: ends.map((end, s) => forces.slice(3 * (ends[s - 1] ?? 0), 3 * end)),
  };
}

/**
 * Returns the shortest three independent lattice vectors, which are a basis; `undefined` if there are fewer.
 */
function shortestThree(vectors: readonly number[][]): number[] | undefined {
  const rest = vectors.filter((v) => v.some((x) => x !== 0))
    .sort((a, b) => Math.hypot(...a) - Math.hypot(...b));
  const [a] = rest;
  const b = a && rest.find((v) => Math.hypot(...cross(a, v)) > 0.1);
  const c = b && rest.find((v) => Math.abs(dot(cross(a, b), v)) > 0.1);
  return c && [...a!, ...b!, ...c];
}

function cross([a, b, c]: number[], [x, y, z]: number[]): number[] {
  return [b! * z! - c! * y!, c! * x! - a! * z!, a! * y! - b! * x!];
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}
