/**
 * Runs of the graphs of a trainer with its current parameters.
 *
 * @module
 */

import type { Buffer, WebGpuBackend } from "../../backend/mod.ts";
import { gpuOf } from "../../backend/webgpu/gpu_of.ts";
import { evaluatorSession } from "../../onnx/session/evaluator_session.ts";
import type { Graph } from "../../onnx/graph/graph.ts";
import { openSession } from "../../onnx/session/open_session.ts";
import type { SessionOptions } from "../../onnx/session/session_options.ts";
import type { Session } from "../../onnx/session/session_run.ts";
import type {
  Feeds,
  Fetches,
  HostFeed,
  HostTensor,
  Outputs,
} from "../../onnx/session/session_tensor.ts";
import type { Arena } from "../model/arena.ts";
import type { Activation, TrainingBatch } from "../context.ts";
import { feedsOf } from "./feeds.ts";
import {
  FLAT_GRADIENTS,
  FLAT_PARAMETERS,
  gradientName,
  MEANS,
  SHARES,
  slopeName,
} from "./graph_names.ts";
import {
  type BuiltGraph,
  forwardGraph,
  type GraphParts,
  lossGraph,
  type Measured,
  slopeGraph,
} from "./training_graph.ts";
import { readView } from "../../hooks/run/read_view.ts";

/** Parts from which a {@linkcode Runner} is created. */
export interface RunnerParts {
  /** The parts from which the graphs are built. */
  readonly graphs: GraphParts;
  /** The arrays of the parameters and their gradients. */
  readonly arena: Arena;
  /** Name of the model in errors. */
  readonly name: string;
  /** Number of onnxruntime threads on wasm. */
  readonly threads: number | undefined;
  /** Memory of a session with several threads in Deno, in bytes. */
  readonly threadMemory?: number | undefined;
  /** Implementation of onnxruntime on the processor; see `SessionOptions`. */
  readonly runtime?: SessionOptions["runtime"] | undefined;
}

/** Result of a run of the loss graph. */
export interface Ran {
  /** The means of the terms of the loss, followed by those of the metrics; `undefined` if they are pending. */
  readonly means: ArrayLike<number> | undefined;
  /**
   * Returns the means, which are read from a GPU first if necessary. `isAwaited` is true if the step waits for them.
   */
  fetch(isAwaited: boolean): PromiseLike<ArrayLike<number>>;
}

/** The array that receives the gradients. `"gradients"` is for the first batch of a step, `"more"` for later ones. */
export type GradientTarget = "gradients" | "more";

/** Key of the session whose graph does not have the changes of hooks. */
const UNCHANGED = "unchanged";

/** An open session, with the terms and metrics that its graph measures. */
interface Opened {
  readonly session: Session;
  readonly measured: Measured;
  /** Names of the inputs that the runner feeds instead of batches. */
  readonly own: ReadonlySet<string>;
}

/** Runs sessions with the parameters of one arena. Sessions are opened when they are first needed. */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #gpu: WebGpuBackend | undefined;
  readonly #opened = new Map<string, Promise<Opened>>();
  #graphs: GraphParts;
  /** Buffers for means on a GPU, by the number of means, which changes when hooks add or remove terms. */
  readonly #means = new Map<number, Buffer<"real">>();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#graphs = parts.graphs;
    this.#gpu = gpuOf(parts.arena.backend);
  }

  /** Closes all sessions. Later runs use graphs that are built from `graphs`. */
  async rebuild(graphs: GraphParts): Promise<void> {
    await this.#close();
    this.#graphs = graphs;
  }

  /** Returns the terms of the loss and the metrics that the graph measures. */
  async measured(): Promise<Measured> {
    return (await this.#session("gradients")).measured;
  }

  /**
   * Computes loss, metrics and gradients of a batch. Writes the gradients to the array `into`. `shares` has one
   * factor per term of the loss, by which its gradients are multiplied. `more` are feeds in addition to the batch.
   */
  async gradients(
    batch: TrainingBatch,
    shares: Float64Array,
    into: GradientTarget,
    more: Readonly<Record<string, HostFeed>> = {},
  ): Promise<Ran> {
    const opened = await this.#session("gradients");
    const isExact = this.#parts.arena.backend.real === "f64";
    const data = isExact ? shares : Float32Array.from(shares);
    const feeds = { ...this.#fed(opened, batch, more), [SHARES]: { data } };
    return await this.#run(opened, feeds, into);
  }

  /** Computes loss and metrics of a batch. `parameters` is the name of the array to use as parameters. */
  async evaluate(
    batch: TrainingBatch,
    more: Readonly<Record<string, HostFeed>> = {},
    parameters = "parameters",
  ): Promise<Ran> {
    const opened = await this.#session("loss");
    return await this.#run(opened, this.#fed(opened, batch, more, parameters), undefined);
  }

  /** Computes the outputs of the model, and returns them by name. */
  async forward(
    batch: TrainingBatch,
    more: Readonly<Record<string, HostFeed>> = {},
    parameters = "parameters",
  ): Promise<ReadonlyMap<string, Activation>> {
    const opened = await this.#session("forward");
    return tensorsOf(await this.#runPlain(opened, this.#fed(opened, batch, more, parameters)));
  }

  /** Writes the gradients of a batch to the array `into`, given the derivatives of the loss by the output's name. */
  async slopes(
    batch: TrainingBatch,
    slopes: ReadonlyMap<string, HostFeed>,
    into: GradientTarget,
    more: Readonly<Record<string, HostFeed>> = {},
  ): Promise<void> {
    const opened = await this.#session("slopes");
    const own = Object.fromEntries([...slopes].map(([name, feed]) => [slopeName(name), feed]));
    await this.#run(opened, this.#fed(opened, batch, { ...more, ...own }), into);
  }

  /** Computes tensors without the changes of hooks, and returns them by name. `expose` makes them outputs. */
  async unchanged(
    batch: TrainingBatch,
    expose: (graph: Graph) => void,
    more: Readonly<Record<string, HostFeed>> = {},
    parameters = "parameters",
  ): Promise<ReadonlyMap<string, Activation>> {
    const opened = await this.#session(UNCHANGED, expose);
    return tensorsOf(await this.#runPlain(opened, this.#fed(opened, batch, more, parameters)));
  }

  /** Computes tensors of the model that `expose` makes outputs of its graph. `key` identifies the resulting graph. */
  async tapped(
    key: string,
    batch: TrainingBatch,
    expose: (graph: Graph) => void,
    more: Readonly<Record<string, HostFeed>> = {},
    parameters = "parameters",
  ): Promise<Outputs> {
    const opened = await this.#session(`taps ${key}`, expose);
    return await this.#runPlain(opened, this.#fed(opened, batch, more, parameters));
  }

  /** Closes all sessions, and frees the buffers. */
  async dispose(): Promise<void> {
    await this.#close();
    for (const means of this.#means.values()) this.#parts.arena.backend.free(means);
    this.#means.clear();
  }

  async #close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opened.values());
    this.#opened.clear();
    for (const one of opened) {
      if (one.status === "fulfilled") await one.value.session.dispose();
    }
  }

  #session(kind: string, expose?: (graph: Graph) => void): Promise<Opened> {
    let opened = this.#opened.get(kind);
    if (opened === undefined) {
      this.#opened.set(kind, opened = this.#open(this.#build(kind, expose)));
      opened.catch(() => this.#opened.delete(kind)); // the next call opens it again
    }
    return opened;
  }

  #build(kind: string, expose?: (graph: Graph) => void): BuiltGraph {
    const graphs = this.#graphs, none = { terms: [], metrics: [] };
    if (kind === "gradients") return lossGraph(graphs, { gradients: true });
    if (kind === "loss") return lossGraph(graphs, { gradients: false });
    if (kind === "slopes") return { ...none, bytes: slopeGraph(graphs) };
    if (kind === UNCHANGED) {
      return { ...none, bytes: forwardGraph({ ...graphs, open: undefined }, expose) };
    }
    return { ...none, bytes: forwardGraph(graphs, expose) };
  }

  async #open({ bytes, ...measured }: BuiltGraph): Promise<Opened> {
    const { arena, name, threads, threadMemory, runtime } = this.#parts;
    const session = arena.backend.name === "reference"
      ? evaluatorSession(bytes, { name })
      : await openSession(bytes, {
        name,
        ...(this.#gpu === undefined
          ? {
            device: "wasm",
            ...(threads !== undefined && { threads }),
            ...(threadMemory !== undefined && { threadMemory }),
            ...(runtime !== undefined && { runtime }),
          }
          : { device: "webgpu", gpuDevice: this.#gpu.device, outputs: "host" }),
      });
    const names = arena.places.map(({ name }) => name);
    return { session, measured, own: new Set([...names, FLAT_PARAMETERS, SHARES]) };
  }

  /** Returns the feeds of a session by input name: the parameters, the tensors of the batch, and those in `more`. */
  #fed(
    { session, own }: Opened,
    { feeds }: TrainingBatch,
    more: Readonly<Record<string, HostFeed>>,
    parameters = "parameters",
  ): Feeds {
    const fed = feedsOf(session, { ...feeds, ...more }, own);
    return { ...fed, ...this.#parameters(parameters) };
  }

  readonly #fedParameters = new Map<string, { memory: unknown; feeds: Feeds }>();

  /**
   * Returns the feeds of the parameters, with values from the array `name` of the arena. They are cached while its
   * memory stays the same.
   */
  #parameters(name: string): Feeds {
    const { arena } = this.#parts, buffer = arena.array(name);
    if (this.#gpu !== undefined) {
      return { [FLAT_PARAMETERS]: { buffer: this.#gpu.memoryOf(buffer), dims: [arena.size] } };
    }
    const view = arena.backend.view(buffer), known = this.#fedParameters.get(name);
    if (known?.memory === view.buffer) return known.feeds;
    const feeds = Object.fromEntries(arena.places.map(({ name, dims, from, size }) => [
      name,
      { data: view.subarray(from, from + size), dims },
    ]));
    this.#fedParameters.set(name, { memory: view.buffer, feeds });
    return feeds;
  }

  async #run(opened: Opened, feeds: Feeds, into: GradientTarget | undefined): Promise<Ran> {
    if (this.#gpu !== undefined) return await this.#runOnGpu(this.#gpu, opened, feeds, into);
    const { session } = opened;
    const outputs = await session.run(feeds, this.#fetches(opened, into));
    const means = (outputs[MEANS] as HostTensor | undefined)?.data as Float32Array | undefined;
    const known = means ?? new Float32Array();
    return { means: known, fetch: () => Promise.resolve(known) };
  }

  readonly #fetched = new Map<string, { memory: unknown; fetches: Fetches }>();

  /**
   * Returns the outputs to fetch: the gradients, which are written to the array `into`, and the means if the graph
   * has them.
   */
  #fetches({ session }: Opened, into: GradientTarget | undefined): Fetches {
    if (into === undefined) return [MEANS];
    const { arena } = this.#parts, view = arena.backend.view(arena.array(into));
    const known = this.#fetched.get(into);
    const hasMeans = session.outputs.some(({ name }) => name === MEANS);
    if (known?.memory === view.buffer && hasMeans) return known.fetches;
    const fetches = {
      ...(hasMeans && { [MEANS]: null }),
      ...Object.fromEntries(arena.places.map(({ name, from, size }) => [
        gradientName(name),
        { data: view.subarray(from, from + size) },
      ])),
    };
    if (hasMeans) this.#fetched.set(into, { memory: view.buffer, fetches });
    return fetches;
  }

  /** Runs a session on a GPU. The means stay in a buffer, and are read by `fetch`. */
  async #runOnGpu(
    gpu: WebGpuBackend,
    { session, measured }: Opened,
    feeds: Feeds,
    into: GradientTarget | undefined,
  ): Promise<Ran> {
    const { arena } = this.#parts;
    const count = measured.terms.length + measured.metrics.length;
    const means = this.#means.get(count) ?? gpu.alloc("real", Math.max(count, 1));
    this.#means.set(count, means);
    const fetches = {
      ...(count > 0 && { [MEANS]: { buffer: gpu.memoryOf(means), dims: [count] } }),
      ...(into !== undefined && {
        [FLAT_GRADIENTS]: { buffer: gpu.memoryOf(arena.array(into)), dims: [arena.size] },
      }),
    };
    await gpu.runExternal(arena.frame, async () => void await session.run(feeds, fetches));
    return {
      means: undefined,
      fetch: async (isAwaited) =>
        (isAwaited ? await gpu.viewOrRead([means]) : await gpu.readLate([means]))[0],
    };
  }

  async #runPlain({ session }: Opened, feeds: Feeds): Promise<Outputs> {
    if (this.#gpu === undefined) return await session.run(feeds);
    let outputs: Outputs = {};
    await this.#gpu.runExternal(this.#parts.arena.frame, async () => {
      outputs = await session.run(feeds);
    });
    return outputs;
  }
}

/** Converts outputs in host memory to tensors for hooks. */
export function tensorsOf(outputs: Outputs): ReadonlyMap<string, Activation> {
  return new Map(
    Object.entries(outputs as Readonly<Record<string, HostTensor>>).map((
      [name, { dims, data }],
    ) => [
      name,
      { dims, data: toNumbers(data) },
    ]),
  );
}

function toNumbers(data: HostTensor["data"]): Activation["data"] {
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    return readView(Float64Array.from(data, Number));
  }
  return readView(data as Float32Array);
}
