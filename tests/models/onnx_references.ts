/**
 * The batches that the real models were computed on, as systems.
 *
 * @module
 */

import { readReference, type ReferenceTensor } from "../onnx/shared_models.ts";

const ARRAYS = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array };

/** The numbers of a stored tensor. */
export function numbersOf({ type, b64 }: ReferenceTensor): number[] {
  const values = new ARRAYS[type as keyof typeof ARRAYS](Uint8Array.fromBase64(b64).buffer);
  return Array.from(values as ArrayLike<number | bigint>, Number);
}

/** A stored batch, and what PyTorch made of it in float64. */
export interface StoredBatch {
  /** One for each system. */
  readonly systems: readonly { readonly numbers: number[]; readonly positions: number[] }[];
  /** eV, one per system. */
  readonly energies: readonly number[];
  /** eV/Å, three per atom. */
  readonly forces: readonly number[];
  /** Sources, then targets. */
  readonly edges: readonly number[];
}

/** The stored batch of a model; `elements` are the atomic numbers of its species, where these are no such. */
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
