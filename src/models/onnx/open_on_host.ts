/**
 * A model on a batch, run by the host: kernels list edges, a session runs, a kernel adds what it gave. The batch may be
 * anywhere; what the model is fed and what it gives is copied where that is not in host memory.
 *
 * @module
 */

import { type Call, call, type Edges } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { edges as listEdges } from "../../kernels/edges/edges.ts";
import { triplets as listTriplets } from "../../kernels/edges/triplets.ts";
import type { Session } from "../../onnx/session/session_run.ts";
import { type OpenModel, valuesOf } from "../model.ts";
import { freeEnergies, modelNumbers, type OnnxElements } from "./elements.ts";
import { type OnnxFed, PartFeeds } from "./feeds.ts";
import type { OnnxConstants } from "./fills.ts";
import { type OnnxArrays, OnnxPart, viewOrReadArrays } from "./onnx_part.ts";
import { OnnxResults } from "./results.ts";

/** A model that is open, and all that is known of it. */
export interface OnnxOpened extends OnnxFed {
  /** Runs it. */
  readonly session: Session;
  /** What it knows of elements. */
  readonly elements: OnnxElements;
  /** Å; 0 where it is fed no edges. */
  readonly cutoff: number;
  /** Å; 0 where it is fed no triplets. */
  readonly reach: number;
  /** Whether each pair is listed once. */
  readonly isHalf: boolean;
  /** How much further pairs are kept than the cutoff, Å. */
  readonly skin: number;
}

/** Makes a model ready for a batch. Throws a RangeError for an atom that it does not know. */
export function openOnHost(model: OnnxOpened, state: ResidentBatch): OpenModel {
  const { session, bindings } = model, { batch } = state;
  const numbers = valuesOf(state, "numbers");
  const constants = constantsOf(model, state, numbers);
  const free = freeEnergies(model.name, model.elements, batch, numbers);
  const results = new OnnxResults(model.name, state, bindings, free);
  const edges = edgesOf(model, state);
  const parts = partsOf(model, batch, constants);
  const hasCharges = bindings.inputs.some(({ meaning }) => meaning === "charges");
  const buffers = { state, hasCharges, edges };
  const compute = async () => {
    let copies: OnnxArrays | undefined;
    for (const { part, feeds } of parts) {
      // Views are made anew: other engines may have had the memory moved while this one was waiting.
      const seen = copies ?? viewOrReadArrays(buffers);
      const arrays = seen instanceof Promise ? copies = await seen : seen;
      if (!arrays.active.subarray(...part.systems).includes(1)) continue;
      results.noteSystems(part, arrays);
      results.store(part, await session.run(feeds.fill(arrays), results.names));
    }
  };
  return {
    calls: () => edges === undefined ? [] : listing(state, edges, bindings.hasTriplets),
    compute,
    add: (wanted) => results.add(wanted),
    fault: (system) => results.fault(system),
  };
}

/** Returns the parts of a batch that are evaluated together, with their feeds. */
function partsOf(model: OnnxOpened, { size, nodeOffsets }: Batch, constants: OnnxConstants) {
  const { batch: mode, padding } = model.bindings;
  const bounds = mode === "joined"
    ? [[0, size] as const]
    : Array.from({ length: size }, (_, s) => [s, s + 1] as const);
  return bounds.map(([from, to]) => {
    const part = new OnnxPart(nodeOffsets, from, to, padding);
    return { part, feeds: new PartFeeds(model, part, constants) };
  });
}

/** What of a batch a model is fed that stays as it is. Throws a RangeError for an atom that it does not know. */
export function constantsOf(
  model: OnnxOpened,
  state: ResidentBatch,
  numbers: ReturnType<typeof valuesOf>,
): OnnxConstants {
  const { batch } = state;
  const has = (meaning: string) => model.bindings.inputs.some((one) => one.meaning === meaning);
  return {
    numbers: modelNumbers(model.name, model.elements, batch, numbers),
    masses: has("masses") ? valuesOf(state, "masses") : [],
    pbc: has("pbc") ? valuesOf(state, "pbc") : [],
    systemOfNode: batch.systemOfNode,
    nodeOffsets: batch.nodeOffsets,
  };
}

/** The list of edges that a model is fed, if it is. */
export function edgesOf(
  { bindings, cutoff, reach, isHalf, skin }: OnnxOpened,
  state: ResidentBatch,
): Edges | undefined {
  if (!bindings.hasEdges) return undefined;
  const pairs = state.pairs({ cutoff, skin });
  return state.edges({ pairs, cutoff, isHalf, reach });
}

/** What brings it up to date. */
export function listing(state: ResidentBatch, edges: Edges, hasTriplets: boolean): readonly Call[] {
  const [positions, cell] = [state.field("positions"), state.field("cell")];
  const listed = call(listEdges, { edges, positions, cell, images: state.images });
  return hasTriplets ? [listed, call(listTriplets, { edges, positions })] : [listed];
}
