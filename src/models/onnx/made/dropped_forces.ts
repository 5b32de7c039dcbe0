/**
 * Removal of the forces that a file computes, so that they can be derived from its energy instead.
 *
 * @module
 */

import { decodeModel } from "../../../onnx/codec/codec.ts";
import { Graph } from "../../../onnx/graph/graph.ts";
import { matchableOf } from "../forces.ts";
import type { OnnxManifest } from "../manifest/manifest.ts";
import type { OnnxMatchable } from "../manifest/matchable.ts";
import { derivableOutputs, energyOf } from "../manifest/match_outputs.ts";
import { showTensor } from "../manifest/shapes.ts";
import { ModelMismatchError } from "../model_mismatch_error.ts";
import type { LoadedOnnx } from "../options.ts";

/**
 * Returns the file without its outputs of forces and stresses if the manifest says `differentiate: "always"`, otherwise
 * the file itself. Nodes that only these outputs use are removed. Stresses are derived again if the file has some.
 * Throws a ModelMismatchError if no output is known to be the energy.
 */
export function withoutDerivable(loaded: LoadedOnnx, derived: string[]): LoadedOnnx {
  const { name, manifest: { differentiate, ...manifest } } = loaded;
  if (differentiate !== "always") return loaded;
  const model = matchableOf(loaded, derived);
  if (energyOf(model) === undefined) throw energyError(model);
  const dropped = derivableOutputs(model);
  if (dropped.length === 0) return { ...loaded, manifest };
  const graph = new Graph(decodeModel(loaded.bytes, { name }));
  for (const { tensor } of dropped) graph.removeOutput(tensor.name);
  graph.prune();
  const bytes = graph.encode(), file = decodeModel(bytes, { name });
  const hadStress = dropped.some(({ meaning }) => meaning === "stress" || meaning === "virial");
  const names = new Set(dropped.map(({ tensor }) => tensor.name));
  return {
    ...loaded,
    bytes,
    file,
    manifest: { ...withoutOutputs(manifest, names), stress: manifest.stress ?? hadStress },
  };
}

function withoutOutputs(
  { outputs, ...manifest }: OnnxManifest,
  dropped: ReadonlySet<string>,
): OnnxManifest {
  if (outputs === undefined) return manifest;
  const kept = Object.entries(outputs).filter(([, value]) => {
    const tensor = typeof value === "object" ? value.tensor : value;
    return tensor === undefined || !dropped.has(tensor);
  });
  return { ...manifest, outputs: Object.fromEntries(kept) };
}

function energyError(model: OnnxMatchable): ModelMismatchError {
  return new ModelMismatchError(model.name, {
    expected: 'an output must be its energy, because of { differentiate: "always" }',
    found: `its outputs are ${model.outputs.map(showTensor).join(", ") || "empty"}`,
    wouldMap: {},
  });
}
