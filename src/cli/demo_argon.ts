/**
 * The argon of the demo: its crystals, and what pulls at their atoms. Nothing here is Deno's own: it runs in a page.
 *
 * @module
 */

import { Batch } from "../batch/batch.ts";
import { fcc, rattle } from "../batch/crystal.ts";
import { lennardJones, type LennardJonesPair } from "../models/pair/lennard_jones.ts";
import type { Model } from "../models/model.ts";

const PARAMETERS: LennardJonesPair & { readonly cutoff: number } = {
  epsilon: 0.0104,
  sigma: 3.4,
  cutoff: 8.5,
};

/** The Lennard-Jones potential of argon as a kernel. */
export const ARGON: Model = lennardJones(PARAMETERS);

/** What forces can come from: an ONNX graph that onnxruntime-web runs, or a kernel. */
export const MODELS: readonly ["onnx", "kernel"] = ["onnx", "kernel"];

/** One of them. */
export type ModelName = typeof MODELS[number];

/** A model that is open. */
export interface OpenArgon extends AsyncDisposable {
  /** For an engine. */
  readonly model: Model;
}

/** Opens a model. What an ONNX graph needs is loaded only for one. */
export async function openArgon(name: ModelName): Promise<OpenArgon> {
  if (name === "kernel") return { model: ARGON, [Symbol.asyncDispose]: async () => {} };
  const [{ lennardJonesModel }, { OnnxModel }] = await Promise.all([
    import("../onnx/forces/lennard_jones_model.ts"),
    import("../models/onnx/onnx_model.ts"),
  ]);
  // Each pair once: half as much for the graph to do.
  const bytes = lennardJonesModel({ ...PARAMETERS, list: "half" });
  const model = await OnnxModel.open(bytes, { name: "argon.onnx", neighbors: "half" });
  return { model, [Symbol.asyncDispose]: () => model.dispose() };
}

/** Crystals, each shaken in its own way; those of one seed have nothing to do with those of another. */
export function crystals(count: number, seed: number): Batch {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  return Batch.from(
    Array.from({ length: count }, (_, i) => rattle(crystal, 0.1, (seed * 2 ** 20 + i) % 2 ** 53)),
  );
}
