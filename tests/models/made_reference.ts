/**
 * References of models, computed with a correct manifest.
 *
 * @module
 */

import { Batch, NVE, type SystemInput } from "@hooke/hooke";
import { OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import type { OnnxReference } from "../../src/models/onnx/reference/reference.ts";
import { hashOf } from "../../src/onnx/codec/file_cache.ts";

/** A structure of a reference. */
export type Labeled = OnnxReference["structures"][number];

/** Returns a system in the form of a reference. */
export function labeled(label: string, system: SystemInput): Labeled {
  const [structure] = Batch.from([system]).systems();
  const { symbols, positions, cell, pbc } = structure!;
  const isPeriodic = Array.from(pbc).some(Boolean);
  return {
    label,
    symbols: [...symbols],
    positions: Array.from(positions),
    cell: isPeriodic ? Array.from(cell) : null,
    pbc: Array.from(pbc, Boolean),
  };
}

/**
 * Runs the model `bytes` with `options`, and returns its results for `structures` as a reference of `of`,
 * another file of the same model.
 */
export async function referenceOf(
  bytes: Uint8Array<ArrayBuffer>,
  options: OnnxModelOptions,
  structures: readonly Labeled[],
  of: Uint8Array<ArrayBuffer> = bytes,
): Promise<OnnxReference> {
  await using model = await OnnxModel.open(bytes, { ...options, verify: false });
  const hasStress = model.gives.includes("stress");
  const energy: number[] = [], forces: number[][] = [], stress: (number[] | null)[] = [];
  for (const { symbols, positions, cell, pbc } of structures) {
    const batch = Batch.from([{ symbols, positions, ...(cell === null ? {} : { cell, pbc }) }]);
    if (hasStress) batch.ensure("stress");
    await using md = new NVE({ model, dt: 1 });
    await md.run(batch, 0);
    energy.push(batch.get("energy")[0]!);
    forces.push(Array.from(batch.get("forces")));
    stress.push(hasStress && cell !== null ? Array.from(batch.get("stress")) : null);
  }
  return {
    format: "hooke-reference",
    version: 1,
    model: await hashOf(of),
    structures,
    energy,
    forces,
    stress,
    tolerance: { energy: 1e-5, forces: 1e-4, stress: 1e-4 },
  };
}

/** Returns the bytes of a reference's file. */
export function fileOf(reference: OnnxReference): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(reference));
}
