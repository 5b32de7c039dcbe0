/**
 * Replacement of the edges of systems.
 *
 * @module
 */

import { BUILT_IN } from "./fields/fields.ts";
import { copyValues, type NumericInput } from "./fields/field_values.ts";
import { type Field, sizeOf, type Store } from "./store.ts";

/**
 * Returns a store of the same systems with new edges. Fields per edge are left out, because they belong to the old
 * edges. All other arrays are shared with `store`.
 *
 * @throws {RangeError} if an edge connects nodes that do not exist, or the edges are not sorted by system
 */
export function storeWithEdges(store: Store, edges: NumericInput, shifts?: NumericInput): Store {
  const action = "set the edges";
  const info = BUILT_IN.get("edges")!;
  const count = typeof edges[0] === "object" ? edges.length : Math.floor(edges.length / 2);
  const pairs = copyValues(edges, info, count, action);
  const fields = new Map<string, Field>();
  for (const [name, field] of store.fields) {
    if (field.info.level !== "edge") fields.set(name, field);
  }
  fields.set("edges", { info, values: pairs });
  if (shifts !== undefined) {
    const info = BUILT_IN.get("shifts")!;
    fields.set("shifts", { info, values: copyValues(shifts, info, count, action) });
  }
  return { ...store, fields, edgeOffsets: offsetsOf(pairs as Int32Array, store) };
}

/**
 * Returns the index of the first edge of each system, followed by the number of edges. The first node of an edge
 * determines its system.
 */
function offsetsOf(pairs: Int32Array, store: Store): Int32Array {
  const { nodeOffsets } = store;
  const size = sizeOf(store);
  const offsets = new Int32Array(size + 1);
  let edge = 0;
  for (let system = 0; system < size; system++) {
    offsets[system] = edge;
    while (2 * edge < pairs.length && isIn(pairs[2 * edge]!, nodeOffsets, system)) edge++;
  }
  offsets[size] = edge;
  if (2 * edge === pairs.length) return offsets;
  throw new RangeError(
    `Cannot set the edges: they must connect nodes 0 … ${
      nodeOffsets[size]! - 1
    } and be sorted by system; got [${pairs[2 * edge]}, ${pairs[2 * edge + 1]}] for edge ${edge}`,
  );
}

function isIn(node: number, nodeOffsets: Int32Array, system: number): boolean {
  return node >= nodeOffsets[system]! && node < nodeOffsets[system + 1]!;
}
