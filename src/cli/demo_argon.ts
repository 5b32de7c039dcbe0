/**
 * Argon of the demo: its crystals and its potential. This file uses no Deno API, so that it runs in a web page.
 *
 * @module
 */

import { Batch } from "../batch/batch.ts";
import { fcc, rattle } from "../batch/crystal.ts";
import { lennardJones, type LennardJonesPair } from "../models/pair/lennard_jones.ts";
import type { Model } from "../models/model.ts";
import type { ModelName } from "./demo_settings.ts";

const PARAMETERS: LennardJonesPair & { readonly cutoff: number } = {
  epsilon: 0.0104,
  sigma: 3.4,
  cutoff: 8.5,
};

/** The Lennard-Jones potential of argon as a kernel. */
export const ARGON: Model = lennardJones(PARAMETERS);

/** An opened source of forces. Disposing of it closes its ONNX session, if it has one. */
export interface OpenArgon extends AsyncDisposable {
  /** The model for an engine. */
  readonly model: Model;
}

/** Opens a source of forces. The ONNX modules are imported only for `"onnx"`. */
export async function openArgon(name: ModelName): Promise<OpenArgon> {
  if (name === "kernel") return { model: ARGON, [Symbol.asyncDispose]: async () => {} };
  const [{ lennardJonesModel }, { OnnxModel }] = await Promise.all([
    import("../onnx/forces/lennard_jones_model.ts"),
    import("../models/onnx/onnx_model.ts"),
  ]);
  // List each pair once, which halves the work of the graph.
  const bytes = lennardJonesModel({ ...PARAMETERS, list: "half" });
  const model = await OnnxModel.open(bytes, { name: "argon.onnx", neighbors: "half" });
  return { model, [Symbol.asyncDispose]: () => model.dispose() };
}

/**
 * Returns `count` crystals whose atoms are randomly displaced. Each crystal has its own random stream, derived from
 * `seed`.
 */
export function crystals(count: number, seed: number): Batch {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  return Batch.from(
    Array.from({ length: count }, (_, i) => rattle(crystal, 0.1, (seed * 2 ** 20 + i) % 2 ** 53)),
  );
}
