/**
 * A model on a batch, run by the host: kernels list edges, a session runs, a kernel adds what it gave. The batch may be
 * anywhere; what the model is fed and what it gives is copied where that is not in host memory.
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

/** A model that is open, and all that is known of it. */
export interface OnnxOpened extends HostModel, MatchedOnnx {
  /** How much further pairs are kept than the cutoff, Å. */
  readonly skin: number;
  /** The places on the way of its forces where a slope is infinite, in a phrase each. @default [] */
  readonly steep?: readonly string[];
}

/** Makes a model ready for a batch. Throws a RangeError for an atom that it does not know. */
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
  /** What of it stays as it is. */
  readonly constants: OnnxConstants;
  /** Takes what the model gives. */
  readonly results: OnnxResults;
  /** The list of edges that the model is fed. */
  readonly edges: Edges | undefined;
}

/** Returns what runs a model on a batch, part by part. */
export function onHost(model: HostModel, batch: HostBatch): () => Promise<void> {
  const { state, constants, results } = batch;
  const parts = partsOf(model, state.batch, constants);
  const buffers = buffersOf(model, batch);
  return async () => {
    let copies: OnnxArrays | undefined;
    for (const each of parts) {
      // Views are made anew: other engines may have had the memory moved while this one was waiting.
      const seen = copies ?? viewOrReadArrays(buffers);
      const arrays = seen instanceof Promise ? copies = await seen : seen;
      if (!arrays.active.subarray(...each.part.systems).includes(1)) continue;
      results.noteSystems(each.part, arrays);
      results.store(each.part, await each.run(arrays));
    }
  };
}

/** Returns the buffers of what moves. */
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

/** What of a batch a model is fed that stays as it is. Throws a RangeError for an atom that it does not know. */
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

/** The list of edges that a model is fed, if it is. */
export function edgesOf(
  { bindings, cutoff, reach, isHalf, skin }: MatchedOnnx & Pick<OnnxOpened, "skin">,
  state: ResidentBatch,
): Edges | undefined {
  if (!bindings.hasEdges) return undefined;
  const longest = Math.max(cutoff, ...bindings.rules.others.map((other) => other.cutoff));
  const pairs = state.pairs({ cutoff: longest, skin });
  return state.edges({ pairs, cutoff: longest, isHalf, reach });
}

/** What brings it up to date. */
export function listing(
  state: ResidentBatch,
  edges: Edges,
  hasTriplets: boolean,
): readonly KernelCall[] {
  const [positions, cell] = [state.field("positions"), state.field("cell")];
  const listed = call(listEdges, { edges, positions, cell, images: state.images });
  return hasTriplets ? [listed, call(listTriplets, { edges, positions })] : [listed];
}
