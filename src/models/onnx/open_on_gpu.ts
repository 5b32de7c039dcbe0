/**
 * A model that runs on a GPU for one batch. Its inputs are buffers of the state, and a kernel adds its outputs from
 * their buffers.
 *
 * @module
 */

import type { Buffer, Edges, WebGpuBackend } from "../../backend/mod.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { SessionCheck } from "../../onnx/session/check_session.ts";
import { countOf, type TensorDtype } from "../../onnx/session/session_tensor.ts";
import { type OpenModel, valuesOf } from "../model.ts";
import type { OnnxBindings, OnnxInputBinding, OnnxOutputBinding } from "./bindings.ts";
import { freeEnergies } from "./elements.ts";
import { FeedArray } from "./feed_array.ts";
import { constantFeed } from "./feeds.ts";
import { CONSTANTS, type OnnxConstants } from "./fills.ts";
import { type GpuInput, GpuModel } from "./gpu_model.ts";
import type { OnnxInput } from "./manifest/manifest.ts";
import { OnnxPart, viewOrReadArrays } from "./onnx_part.ts";
import { PaddedPart, paddingMismatch } from "./parts/padded_part.ts";
import { OnnxResults } from "./results.ts";
import {
  buffersOf,
  constantsOf,
  edgesOf,
  type HostBatch,
  listing,
  onHost,
  type OnnxOpened,
} from "./open_on_host.ts";

/** Returns the buffer of each input that changes at each step, by meaning. */
const BUFFERS: {
  readonly [k in OnnxInput]?: (state: ResidentBatch, edges: Edges) => Buffer;
} = {
  positions: (state) => state.field("positions"),
  cell: (state) => state.field("cell"),
  charges: (state) => state.field("charges"),
  edges: (_state, { index }) => index,
  shifts: (_state, { shifts }) => shifts,
  edgeBatchIndex: (_state, { systems }) => systems,
  tripletCenters: (_state, { centers }) => centers,
  tripletEdges: (_state, { triplets }) => triplets,
};

/** Meanings of inputs that contain lengths. On the device, lengths are in Å. */
const LENGTHS: ReadonlySet<string> = new Set(["positions", "cell", "shifts"]);

/** Types of inputs on the device, which has no 64-bit integers. */
const ON_DEVICE: { readonly [k in TensorDtype]?: "float32" | "int32" } = {
  float32: "float32",
  int32: "int32",
  int64: "int32",
};

/**
 * Returns the reason why a model cannot run on the buffers of a device; `undefined` if it can. The host must run a
 * model that cannot.
 */
export function hostReason(bindings: OnnxBindings, systems: number): string | undefined {
  const { batch, padding, hasEdges, inputs, outputs, rules } = bindings;
  if (batch === "single" && systems !== 1) return "it takes one system at a time";
  if (hasEdges && padding === false) return "its lists must not be padded";
  if (rules.others.length > 0) return "it has several lists";
  if (rules.isOrdered) return "its triplets are ordered";
  if (rules.nearest !== undefined) return "its lists contain only nearest neighbors";
  for (const input of inputs) {
    const why = feedProblem(input);
    if (why !== undefined) return `${input.tensor.name} ${why}`;
  }
  const unsupported = outputs.find((output) => !isSupportedOutput(output));
  if (unsupported !== undefined) return `its output ${unsupported.tensor.name} must be rearranged`;
}

function feedProblem({ meaning, form, tensor: { dtype } }: OnnxInputBinding): string | undefined {
  if (ON_DEVICE[dtype] === undefined) return `has the type ${dtype}`;
  if (meaning === "derived") return "is derived by a function";
  const isKnown = meaning === "constant" || Object.hasOwn(CONSTANTS, meaning) ||
    Object.hasOwn(BUFFERS, meaning);
  const isRows = meaning !== "edges" && meaning !== "tripletEdges" || form?.[0] === 2;
  return isKnown && isRows ? undefined : "must be rearranged";
}

function isSupportedOutput({ meaning, level, width, tensor }: OnnxOutputBinding): boolean {
  if (tensor.dtype !== "float32" || level === undefined) return false;
  if (meaning === "stress") return width === 9;
  return meaning === "energy" || meaning === "forces" || meaning === "gradient";
}

/** Results of comparing padded lists with lists without padding, for one model. */
export interface PaddingFindings {
  /** True if a comparison has found equal results. */
  isCompared: boolean;
  /** Description of a difference; `undefined` if no difference was found. */
  difference: string | undefined;
}

/** An opened model, with the values that runs on a GPU need. */
export interface OnnxOnGpu extends OnnxOpened {
  /** Bytes of the model's file. */
  readonly bytes: Uint8Array;
  /** Throws an Error if the model was disposed of. */
  readonly assertOpen: () => void;
  /** Receives findings of the first run, for `describe`. */
  readonly note: (text: string) => void;
  /** Receives a warning if the model runs on the host because it cannot run on the device. */
  readonly warn: (text: string) => void;
  /** Findings about padding, which are shared by all batches. */
  readonly padding: PaddingFindings;
  /** Results of the comparisons with wasm, by device. */
  readonly checks: WeakMap<GPUDevice, Promise<SessionCheck>>;
}

/**
 * Prepares a model for a batch on a GPU. Throws a RangeError that names the atom if the model does not know its
 * element.
 */
export function openOnGpu(
  model: OnnxOnGpu,
  backend: WebGpuBackend,
  state: ResidentBatch,
): OpenModel {
  const { name, bytes, note, assertOpen, checks, bindings } = model;
  const { batch } = state;
  const numbers = valuesOf(state, "numbers");
  const constants = constantsOf(model, state, numbers);
  const free = freeEnergies(name, model.elements, batch, numbers);
  const results = new OnnxResults(name, state, bindings, free);
  const edges = edgesOf(model, state);
  const part = new OnnxPart(batch.nodeOffsets, 0, batch.size);
  const sources = { model, state, edges, part, constants };
  const host = { state, constants, results, edges };
  const gpu = new GpuModel({
    name,
    bytes,
    note,
    assertOpen,
    checks,
    backend,
    frame: state.frame,
    inputs: bindings.inputs.map((input) => inputOf(input, sources)),
    outputs: bindings.outputs.map((output) => ({
      name: output.tensor.name,
      buffer: results.bufferOf(output),
    })),
    moving: bindings.inputs.find(({ meaning }) => meaning === "positions")!.tensor.name,
    scales: scalesOf(model),
    failed: (reason) => failedOnGpu(model, reason),
    mayRun: edges === undefined ? () => Promise.resolve(true) : paddingCheck(model, host),
  });
  let runOnHost: (() => Promise<void>) | undefined;
  return {
    calls: () => edges === undefined ? [] : listing(state, edges, bindings.hasTriplets),
    compute: async () => {
      if (runOnHost === undefined && await gpu.run()) return; // after a failure on the device, the host runs every step
      runOnHost ??= onHost(model, host);
      await runOnHost();
    },
    add: (wanted) => results.add(wanted),
    fault: (system) => results.fault(system, model),
    close: () => gpu.close(),
  };
}

/** Passes the reason why the first run on a device has failed to `note` and `warn`. The host then runs the model. */
function failedOnGpu({ name, note, warn }: OnnxOnGpu, reason: string): void {
  note(`it runs on the host instead of WebGPU: its first run there failed: ${reason}`);
  warn(`${name} runs on the host and not on WebGPU, where its first run failed: ${reason}`);
}

/**
 * Returns a function that checks on the host whether padding changes the results of a model. On a device all lists
 * are padded, because the host does not know their lengths.
 *
 * The first comparison of a model uses the whole batch. Padded edges belong to atom 0, so comparisons for other
 * batches and for lists that have grown only use the system of atom 0, because the host may be much slower than the
 * device.
 */
function paddingCheck(model: OnnxOnGpu, host: HostBatch): () => Promise<boolean> {
  const { name, note, warn, bindings, padding } = model;
  let isFirst = true;
  return async () => {
    const part = new PaddedPart(
      model,
      [0, padding.isCompared ? 1 : host.state.batch.size],
      host.constants,
    );
    const arrays = await viewOrReadArrays(buffersOf(model, host));
    const { difference, isFinite } = await part.compare(arrays);
    if (difference === undefined) {
      note("padded and exact lists give the same results");
      padding.isCompared = true;
      isFirst = false;
      return true;
    }
    if (!isFinite) { // such results show nothing about padding; the engine reports them
      note("it runs on the host instead of WebGPU: its results for this batch are not finite");
      return false;
    }
    if (bindings.padding === true || !isFirst) throw paddingMismatch(name, difference);
    padding.difference = difference;
    note(`it runs on the host instead of WebGPU: with padded lists ${difference}`);
    warn(
      `${name} runs on the host and not on WebGPU, which needs padded lists: with them ${difference}. ` +
        "Pass padding: false to run it on the host without this comparison and this warning",
    );
    return false;
  };
}

/**
 * Returns the factors that convert inputs from Å to the model's unit of length, by name of the input. The result is
 * empty if the unit is Å.
 */
function scalesOf({ bindings, perAngstrom }: OnnxOpened): Record<string, number> {
  if (perAngstrom === 1) return {};
  const lengths = bindings.inputs.filter(({ meaning }) => LENGTHS.has(meaning));
  return Object.fromEntries(lengths.map(({ tensor }) => [tensor.name, perAngstrom]));
}

/** Sources of the values of a model's inputs. */
interface Sources {
  readonly model: OnnxOpened;
  readonly state: ResidentBatch;
  readonly edges: Edges | undefined;
  readonly part: OnnxPart;
  readonly constants: OnnxConstants;
}

function inputOf(input: OnnxInputBinding, sources: Sources): GpuInput {
  const { tensor: { name, dtype }, meaning, form } = input;
  const { model, state, edges, part, constants } = sources;
  const moving = BUFFERS[meaning as OnnxInput];
  if (moving !== undefined) {
    const dims = () => {
      if (edges !== undefined) part.useCapacities(edges);
      return part.dims(form!);
    };
    return { name, buffer: moving(state, edges!), dims };
  }
  const array = new FeedArray(ON_DEVICE[dtype]!);
  let dims: readonly number[];
  if (meaning === "constant") dims = constantFeed(model, input, array).dims!;
  else {
    dims = part.dims(form!);
    CONSTANTS[meaning as OnnxInput]!(array.resize(countOf(dims)), part, constants);
  }
  const data = array.data as Float32Array | Int32Array;
  const buffer = state.constants(data instanceof Int32Array ? "i32" : "real", data);
  return { name, buffer, dims: () => dims };
}
