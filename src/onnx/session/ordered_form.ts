import { decodeModel } from "../codec/codec.ts";
import type { ModelOutline } from "../describe/model_outline.ts";
import { Graph } from "../graph/graph.ts";
import { mergeEquals } from "../passes/merge_equals.ts";
import { orderedScatters } from "../passes/ordered_scatters.ts";

/**
 * Returns a model in a form that several threads compute correctly: no ScatterND with a reduction is
 * left. Returns `bytes` itself if the model needs no change.
 *
 * @throws {UnsupportedNodeError} if a scatter cannot be written in this form
 */
export function orderedForm(
  bytes: Uint8Array,
  { name, outline }: { readonly name: string; readonly outline: ModelOutline },
): Uint8Array {
  if (!outline.operators.has("ScatterND")) return bytes;
  const graph = new Graph(decodeModel(bytes, { name }));
  mergeEquals(graph); // Equal indices then have one name, so scatters share their tables.
  return orderedScatters(graph) === 0 ? bytes : graph.encode();
}
