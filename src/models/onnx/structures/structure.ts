/**
 * A single structure as a model reads it: the values that engines hold in buffers at a step, read once.
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

/** A model that takes structures. */
export interface StructureModel extends MatchedOnnx {
  /** True if positions of a system far from zero may be relative to a point near it. */
  readonly isInvariant: boolean;
}

/** Sources of the inputs of a model for a single structure. Atoms and edges are counted from 0. */
export interface Structure {
  /** Values that do not move. */
  readonly constants: OnnxConstants;
  /** Values that move. */
  readonly arrays: OnnxArrays;
}

/**
 * Backend that lists edges. It is the default backend of engines, so a graph gets bitwise identical inputs
 * here and in an engine.
 */
let backend: Backend | undefined;

/** Reads a structure: the kernels of engines list its edges and triplets. Throws a RangeError for an unknown element. */
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

/** Returns copies, because views end with the state. */
function copied({ active, positions, cell, charges, lists }: OnnxArrays): OnnxArrays {
  return {
    active: active.slice(),
    positions: positions.slice(),
    cell: cell.slice(),
    charges: charges?.slice(),
    lists: lists && copiedLists(lists),
  };
}

/** Returns lists of their exact lengths, without spare room. */
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

/** Returns the first `count` numbers of each of two rows. */
function rows(values: Int32Array, count: number): Int32Array {
  const half = values.length / 2, both = new Int32Array(2 * count);
  both.set(values.subarray(0, count));
  both.set(values.subarray(half, half + count), count);
  return both;
}
