/**
 * Single structures with the values that an engine would hold in buffers at a step. The inputs of a model are made
 * from them.
 *
 * @module
 */

import type { Backend } from "../../../backend/backend.ts";
import { openBackend } from "../../../backend/open.ts";
import { Batch } from "../../../batch/batch.ts";
import { ResidentBatch } from "../../../batch/resident/resident_batch.ts";
import type { System } from "../../../batch/system.ts";
import { searches } from "../../evaluate.ts";
import { valuesOf } from "../../model.ts";
import type { OnnxConstants } from "../fills.ts";
import { type MatchedOnnx, SKIN } from "../matched_model.ts";
import { buffersOf, constantsOf, edgesOf, listing } from "../open_on_host.ts";
import { type OnnxArrays, type OnnxLists, viewOrReadArrays } from "../onnx_part.ts";

/** A model whose inputs are made from single structures. */
export interface StructureModel extends MatchedOnnx {
  /**
   * True if positions of a system far from zero may be relative to a point near it, because translations do not
   * change the results.
   */
  readonly isInvariant: boolean;
}

/** Values of a single structure, from which the inputs of a model are made. Indices of atoms and edges begin with 0. */
export interface Structure {
  /** Values that do not depend on positions. */
  readonly constants: OnnxConstants;
  /** Values that depend on positions, such as the lists of edges and triplets. */
  readonly arrays: OnnxArrays;
}

/**
 * Backend whose kernels list the edges. It is the default backend of engines, so a graph gets bitwise identical
 * inputs here and in an engine.
 */
let backend: Backend | undefined;

/**
 * Returns a structure with its lists of edges and triplets, made by the kernels that engines use. Throws a RangeError
 * that names the atom if the model does not know its element.
 */
export function readStructure(model: StructureModel, system: System): Structure {
  const state = new ResidentBatch(
    Batch.from([system]),
    backend ??= openBackend("wasm"),
    model.isInvariant,
  );
  try {
    const edges = edgesOf({ ...model, skin: SKIN }, state);
    const constants = constantsOf(model, state, valuesOf(state, "numbers"));
    if (edges !== undefined) {
      const lists = listing(state, edges, model.bindings.hasTriplets);
      const program = state.prepare([...searches(state), ...lists]);
      state.run(program, 0, 1);
      state.freePrograms([program]);
    }
    // The backend is in host memory, so the arrays are returned synchronously.
    const seen = viewOrReadArrays(buffersOf(model, { state, edges })) as OnnxArrays;
    return { constants, arrays: copied(seen) };
  } finally {
    state.free();
  }
}

/** Returns copies of arrays, because the views become invalid when the state is freed. */
function copied({ active, positions, cell, charges, lists }: OnnxArrays): OnnxArrays {
  return {
    active: active.slice(),
    positions: positions.slice(),
    cell: cell.slice(),
    charges: charges?.slice(),
    lists: lists && copiedLists(lists),
  };
}

/** Returns copies of lists without the unused capacity at their ends. */
function copiedLists({ counts, index, shifts, systems, centers, triplets }: OnnxLists): OnnxLists {
  const [E = 0, T = 0] = counts;
  return {
    counts: Int32Array.of(E, T),
    index: rows(index, E),
    shifts: shifts.slice(0, 3 * E),
    systems: systems.slice(0, E),
    centers: centers.slice(0, T),
    triplets: rows(triplets, T),
  };
}

/** Takes an array of two rows of equal length, and returns the first `count` values of each row. */
function rows(values: Int32Array, count: number): Int32Array {
  const half = values.length / 2, both = new Int32Array(2 * count);
  both.set(values.subarray(0, count));
  both.set(values.subarray(half, half + count), count);
  return both;
}
