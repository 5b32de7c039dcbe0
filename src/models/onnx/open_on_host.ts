/**
 * A model that the host runs for one batch. Kernels list edges, a session runs the model, and a kernel adds its
 * results. If the batch is not in host memory, inputs and outputs are copied.
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
import { type HostModel, HostPart } from "./parts/host_part.ts";
import { JoinedPart } from "./parts/joined_part.ts";
import { type OnnxArrays, type OnnxBuffers, viewOrReadArrays } from "./onnx_part.ts";
import type { MatchedOnnx } from "./matched_model.ts";
import { PaddedPart } from "./parts/padded_part.ts";
import { OnnxResults } from "./results.ts";

/** A model that is open in a session, with all properties that its runs need. */
export interface OnnxOpened extends HostModel, MatchedOnnx {
  /** Distance in Å beyond the cutoff up to which pairs are listed. */
  readonly skin: number;
  /** Descriptions of the nodes on the path of added forces at which a derivative may be infinite. @default [] */
  readonly steep?: readonly string[];
  /** True if the file itself computes forces, so that Hooke has added none. @default false */
  readonly hasOwnForces?: boolean;
}

/**
 * Prepares a model for a batch on the host. Throws a RangeError that names the atom if the model does not know its
 * element.
 */
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
    fault: (system) => results.fault(system, model),
  };
}

/** A batch, with the inputs and outputs of a model that runs on it. */
export interface HostBatch {
  /** The batch on its backend. */
  readonly state: ResidentBatch;
  /** Values of the batch that do not change. */
  readonly constants: OnnxConstants;
  /** Stores the outputs of the model. */
  readonly results: OnnxResults;
  /** The lists of edges of the model; `undefined` if the model has no edges. */
  readonly edges: Edges | undefined;
}

/**
 * Returns a function that runs a model on a batch, one part after the other. Parts without an active system are
 * skipped. A model of whole batches receives the active systems only, unless its lists are padded.
 */
export function onHost(model: HostModel, batch: HostBatch): () => Promise<void> {
  const { state, constants, results } = batch;
  const parts = partsOf(model, state.batch, constants);
  const buffers = buffersOf(model, batch);
  return async () => {
    let copies: OnnxArrays | undefined;
    for (const each of parts) {
      // New views are made for each part, because another engine may move the memory during an `await`.
      const seen = copies ?? viewOrReadArrays(buffers);
      const arrays = seen instanceof Promise ? copies = await seen : seen;
      if (!arrays.active.subarray(...each.part.systems).includes(1)) continue;
      results.recordSystems(each.part, arrays);
      results.store(each.part, await each.run(arrays));
    }
  };
}

/** Returns the sources of the values that a model needs at each step. */
export function buffersOf(
  { bindings }: Pick<HostModel, "bindings">,
  { state, edges }: Pick<HostBatch, "state" | "edges">,
): OnnxBuffers {
  const hasCharges = bindings.inputs.some(({ meaning }) => meaning === "charges");
  return { state, hasCharges, edges };
}

/** Returns the parts of a batch: the whole batch, or one part per system if the model takes one system at a time. */
function partsOf(
  model: HostModel,
  { size }: Batch,
  constants: OnnxConstants,
): readonly (HostPart | JoinedPart | PaddedPart)[] {
  const { batch: mode, padding } = model.bindings, isJoined = mode === "joined";
  const bounds = isJoined
    ? [[0, size] as const]
    : Array.from({ length: size }, (_, s) => [s, s + 1] as const);
  const Part = padding === true ? PaddedPart : isJoined ? JoinedPart : HostPart;
  return bounds.map((systems) => new Part(model, systems, constants));
}

/**
 * Returns the values of a batch that do not change during a run. Throws a RangeError that names the atom if the model
 * does not know its element.
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

/** Returns the lists of edges for a model, up to its largest cutoff; `undefined` if the model has no edges. */
export function edgesOf(
  { bindings, cutoff, reach, isHalf, skin }: MatchedOnnx & Pick<OnnxOpened, "skin">,
  state: ResidentBatch,
): Edges | undefined {
  if (!bindings.hasEdges) return undefined;
  const longest = Math.max(cutoff, ...bindings.rules.others.map((other) => other.cutoff));
  const pairs = state.pairs({ cutoff: longest, skin });
  return state.edges({ pairs, cutoff: longest, isHalf, reach });
}

/** Returns the kernel calls that update the lists of edges and triplets. */
export function listing(
  state: ResidentBatch,
  edges: Edges,
  hasTriplets: boolean,
): readonly KernelCall[] {
  const [positions, cell] = [state.field("positions"), state.field("cell")];
  const listed = call(listEdges, { edges, positions, cell, images: state.images });
  return hasTriplets ? [listed, call(listTriplets, { edges, positions })] : [listed];
}
