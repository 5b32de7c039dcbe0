/**
 * Compares an exported potential with its reference, structure by structure.
 *
 * @module
 */

import { Batch, NVE, type SystemInput } from "@hooke/hooke";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import type { OnnxReference } from "../../src/models/onnx/reference/reference.ts";
import type { Agreement, Difference } from "./figures.ts";
import { isPublishedSalt } from "./published.ts";

/** Opens a model and returns its differences on every structure of its reference. */
export async function agreement(
  path: string,
  reference: OnnxReference,
  runtime: "web" | "native",
): Promise<Agreement> {
  const options = { stress: true, verify: false, runtime, threads: 1 } as const;
  await using model = await OnnxModel.open(path, options);
  const found: Difference[] = [];
  let salt: number | undefined;
  for (const [s, structure] of reference.structures.entries()) {
    const { label = "", symbols, positions, cell, pbc } = structure;
    const system: SystemInput = { symbols, positions, ...(cell === null ? {} : { cell, pbc }) };
    const batch = Batch.from([system]);
    const expected = reference.stress[s]!;
    if (expected !== null) batch.ensure("stress");
    await using md = new NVE({ model, dt: 1, device: "wasm" });
    await md.run(batch, 0);
    if (isPublishedSalt(structure)) salt = batch.get("energy")[0]!;
    found.push({
      label,
      energy: Math.abs(batch.get("energy")[0]! - reference.energy[s]!) / symbols.length,
      forces: relative(batch.get("forces"), reference.forces[s]!, 1),
      stress: expected === null
        ? undefined
        : relative(symmetric(batch.get("stress")), expected, 0.01),
    });
  }
  const { tolerance, float32, refused } = reference;
  return {
    differences: found,
    tolerance,
    ...(float32 && { float32 }),
    ...(refused && { refused }),
    ...(salt !== undefined && { salt }),
  };
}
/** Models that are not invariant to rotations have stresses that are not symmetric; ASE makes them so. */
function symmetric(stress: ArrayLike<number>): number[] {
  return Array.from(stress, (value, i) => (value + stress[3 * (i % 3) + Math.floor(i / 3)]!) / 2);
}

function relative(found: ArrayLike<number>, expected: readonly number[], least: number): number {
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), least);
  const apart = expected.reduce((most, value, i) => Math.max(most, Math.abs(found[i]! - value)), 0);
  return apart / largest;
}
