/**
 * The files of a tuned model: the model, its manifest, and its reference.
 *
 * @module
 */

import { openBackend } from "../../backend/open.ts";
import { Batch } from "../../batch/batch.ts";
import { cellVolume } from "../../batch/cell.ts";
import { atomicSymbol } from "../../batch/elements.ts";
import type { System } from "../../batch/system.ts";
import { writeWhole } from "../../checkpoint/mod.ts";
import { evaluateModel } from "../../models/evaluate.ts";
import type { OnnxManifest } from "../../models/onnx/manifest/manifest.ts";
import { OnnxModel } from "../../models/onnx/onnx_model.ts";
import type { OnnxModelOptions } from "../../models/onnx/options.ts";
import type {
  OnnxReference,
  OnnxReferenceStructure,
} from "../../models/onnx/reference/reference.ts";
import { hashOf } from "../../onnx/codec/file_cache.ts";

/** Largest accepted differences between float32 results and the reference, which is in double precision. */
const TOLERANCE = { energy: 1e-5, forces: 1e-4, stress: 1e-4 };

/** Writes a model, and its manifest and reference beside it, where `OnnxModel.open` looks for them. */
export async function writeTuned(
  out: string | URL,
  model: Uint8Array<ArrayBuffer>,
  { frames, hasStress, ...said }: {
    readonly manifest: OnnxManifest;
    readonly derived: OnnxModelOptions["derived"];
    readonly frames: readonly System[];
    readonly hasStress: boolean;
  },
): Promise<void> {
  const beside = (ending: string) => {
    if (typeof out === "string") return out.replace(/\.onnx$/, "") + ending;
    const url = new URL(out);
    url.pathname = url.pathname.replace(/\.onnx$/, "") + ending;
    return url;
  };
  // The reference is computed first, so that nothing is written if the model cannot be opened again.
  const reference = await referenceOf(model, frames, { ...said, hasStress });
  await writeWhole(out, model, "model");
  await writeWhole(beside(".json"), encoded(said.manifest), "manifest");
  await writeWhole(beside(".ref.json"), encoded(reference), "reference");
}

function encoded(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
}

/** Returns the reference of a model: its results for some frames, computed in double precision. */
async function referenceOf(
  bytes: Uint8Array<ArrayBuffer>,
  frames: readonly System[],
  { manifest, derived, hasStress }: {
    readonly manifest: OnnxManifest;
    readonly derived: OnnxModelOptions["derived"];
    readonly hasStress: boolean;
  },
): Promise<OnnxReference> {
  const named = { name: "the tuned model", verify: false, ...(derived && { derived }) };
  const options = { ...manifest, ...named, stress: hasStress };
  const model = await OnnxModel.open(bytes, options);
  const backend = openBackend("reference");
  const energy: number[] = [], forces: number[][] = [], stress: (number[] | null)[] = [];
  try {
    for (const frame of frames) {
      const wanted = { energy: true, stress: hasStress };
      const found = await evaluateModel(model, Batch.from([bare(frame)]), backend, { wanted });
      const volume = cellVolume(frame.cell);
      energy.push(found.energy[0]!);
      forces.push([...found.forces]);
      stress.push(hasStress && volume > 0 ? found.virial.map((value) => -value / volume) : null);
    }
  } finally {
    await model[Symbol.asyncDispose]();
  }
  return {
    format: "hooke-reference",
    version: 1,
    model: await hashOf(bytes),
    producer: "Hooke",
    precision: "float64",
    structures: frames.map(structureOf),
    energy,
    forces,
    stress,
    tolerance: TOLERANCE,
  };
}

/** Returns the input of a system with only the atoms and the cell of a frame. */
function bare({ numbers, positions, cell, pbc }: System) {
  return {
    numbers,
    positions,
    ...(cellVolume(cell) > 0 && { cell, pbc: Array.from(pbc, Boolean) }),
  };
}

function structureOf({ numbers, positions, cell, pbc }: System): OnnxReferenceStructure {
  return {
    symbols: Array.from(numbers, atomicSymbol),
    positions: Array.from(positions),
    cell: cellVolume(cell) > 0 ? Array.from(cell) : null,
    pbc: Array.from(pbc, Boolean),
  };
}
