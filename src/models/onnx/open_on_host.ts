/**
 * A model for a batch, run by the host: kernels list edges, a session runs the model, and a kernel adds its
 * results. Inputs and outputs are copied if the batch is not in host memory.
 *
 * @module
 */

import { call, type Edges, type KernelCall } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { edges as listEdges } from "../../kernels/edges/edges.ts";
import { triplets as listTriplets } from "../../kernels/edges/triplets.ts";
import { type OpenModel, valuesOf } from "../model.ts";
import { freeEnergies, modelNumbers } from "./elements.ts";
import type { OnnxConstants } from "./fills.ts";
import { type HostModel, HostPart } from "./host_part.ts";
import { type OnnxArrays, type OnnxBuffers, viewOrReadArrays } from "./onnx_part.ts";
import type { MatchedOnnx } from "./matched_model.ts";
import { PaddedPart } from "./padded_part.ts";
import { OnnxResults } from "./results.ts";

/** An open model with all its properties. */
export interface OnnxOpened extends HostModel, MatchedOnnx {
  /** Distance in Å beyond the cutoff up to which pairs are listed. */
  readonly skin: number;
  /** Places on the path of its forces where a slope is infinite, one phrase each. @default [] */
  readonly steep?: readonly string[];
}

/** Prepares a model for a batch. Throws a RangeError if the model does not know the element of an atom. */
export function openOnHost(model: OnnxOpened, state: ResidentBatch): OpenModel {
  const { bindings } = model, { batch } = state;
  const numbers = valuesOf(state, "numbers");
  const constants = constantsOf(model, state, numbers);
  const free = freeEnergies(model.name, model.elements, batch, numbers);
  const results = new OnnxResults(model.name, state, bindings, free);
  const edges = edgesOf(model, state);
  const run = onHost(model, { state, constants, results, edges });
  return {
    calls: () => edges === undefined ? [] : listing(state, edges, bindings.hasTriplets),
    compute: run,
    add: (wanted) => results.add(wanted),
    fault: (system) => results.fault(system, model.steep),
  };
}

/** A batch for a model. */
export interface HostBatch {
  /** The batch. */
  readonly state: ResidentBatch;
  /** Its values that do not change. */
  readonly constants: OnnxConstants;
  /** Receives the outputs of the model. */
  readonly results: OnnxResults;
  /** The list of edges of the model. */
  readonly edges: Edges | undefined;
}

/** Returns a function that runs a model on a batch, part by part. */
export function onHost(model: HostModel, batch: HostBatch): () => Promise<void> {
  const { state, constants, results } = batch;
  const parts = partsOf(model, state.batch, constants);
  const buffers = buffersOf(model, batch);
  return async () => {
    let copies: OnnxArrays | undefined;
    for (const each of parts) {
      // Views are made anew for each part: another engine may have moved the memory during an `await`.
      const seen = copies ?? viewOrReadArrays(buffers);
      const arrays = seen instanceof Promise ? copies = await seen : seen;
      if (!arrays.active.subarray(...each.part.systems).includes(1)) continue;
      results.recordSystems(each.part, arrays);
      results.store(each.part, await each.run(arrays));
    }
  };
}

/** Returns the buffers of moving values. */
export function buffersOf(
  { bindings }: Pick<HostModel, "bindings">,
  { state, edges }: Pick<HostBatch, "state" | "edges">,
): OnnxBuffers {
  const hasCharges = bindings.inputs.some(({ meaning }) => meaning === "charges");
  return { state, hasCharges, edges };
}

/** Returns the parts of a batch that are evaluated together. */
function partsOf(
  model: HostModel,
  { size }: Batch,
  constants: OnnxConstants,
): readonly (HostPart | PaddedPart)[] {
  const { batch: mode, padding } = model.bindings;
  const bounds = mode === "joined"
    ? [[0, size] as const]
    : Array.from({ length: size }, (_, s) => [s, s + 1] as const);
  const Part = padding === true ? PaddedPart : HostPart;
  return bounds.map((systems) => new Part(model, systems, constants));
}

/**
 * Returns the values of a batch that do not change. Throws a RangeError if the model does not know the
 * element of an atom.
 */
export function constantsOf(
  model: MatchedOnnx,
  state: ResidentBatch,
  numbers: ReturnType<typeof valuesOf>,
): OnnxConstants {
  const { batch } = state;
  const has = (meaning: string) => model.bindings.inputs.some((one) => one.meaning === meaning);
  return {
    numbers: modelNumbers(model.name, model.elements, batch, numbers, model.limits),
    atomicNumbers: numbers,
    masses: has("masses") ? valuesOf(state, "masses") : [],
    pbc: has("pbc") ? valuesOf(state, "pbc") : [],
    systemOfNode: batch.systemOfNode,
    nodeOffsets: batch.nodeOffsets,
    infos: batch.infos,
  };
}

/** Returns the list of edges of a model; `undefined` if the model has no edges. */
export function edgesOf(
  { bindings, cutoff, reach, isHalf, skin }: MatchedOnnx & Pick<OnnxOpened, "skin">,
  state: ResidentBatch,
): Edges | undefined {
  if (!bindings.hasEdges) return undefined;
  const longest = Math.max(cutoff, ...bindings.rules.others.map((other) => other.cutoff));
  const pairs = state.pairs({ cutoff: longest, skin });
  return state.edges({ pairs, cutoff: longest, isHalf, reach });
}

/** Returns the calls that update the lists. */
export function listing(
  state: ResidentBatch,
  edges: Edges,
  hasTriplets: boolean,
): readonly KernelCall[] {
  const [positions, cell] = [state.field("positions"), state.field("cell")];
  const listed = call(listEdges, { edges, positions, cell, images: state.images });
  return hasTriplets ? [listed, call(listTriplets, { edges, positions })] : [listed];
}
