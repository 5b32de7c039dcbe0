import { BackendUnavailableError } from "../../../backend/backend_unavailable_error.ts";
import type { FeedsByInput } from "../compare_sessions.ts";
import { PendingRequests } from "./pending_requests.ts";
import { type LoadedModel, loadModel } from "../session_model.ts";
import { checkOptions, type SessionOptions } from "../session_options.ts";
import type { ModelSource } from "../session_source.ts";
import type { HostFeed, HostTensor } from "../session_tensor.ts";
import type { SessionDevice } from "../session_runtime.ts";
import { isDeno } from "../../../platform/process.ts";
import { type ScriptWorker, startAwaitedWorker } from "../../../platform/workers.ts";
import type { WorkerOptions, WorkerReply, WorkerSessionInfo } from "./worker_messages.ts";

/**
 * Options of {@linkcode openSessionInWorker}. Tensors are in host memory, because GPU buffers cannot be sent to a
 * worker.
 */
export interface WorkerSessionOptions
  extends Omit<SessionOptions, "gpuDevice" | "capture" | "outputs"> {
  /**
   * Time in milliseconds after which a worker without a reply is considered hung, and is terminated. Opening the
   * model has at least a minute. Deno cannot stop a spinning thread: it keeps a processor busy until the process
   * ends.
   *
   * @default 60000
   */
  readonly timeout?: number;
  /**
   * Creates the worker. A bundler needs this to find the worker's script, which imports `@hooke/hooke/onnx/worker`.
   *
   * @default the worker of this package
   */
  readonly worker?: () => Worker;
}

/** A session in a dedicated worker. */
export interface WorkerSession extends WorkerSessionInfo {
  /** Number of times that the worker was restarted. */
  readonly restarts: number;
  /**
   * Runs the model once. The worker runs calls in order.
   *
   * @throws {BackendUnavailableError} with the reason `"hung"` if the worker did not reply in time. All pending
   * calls are rejected, and the next call starts another worker. Other errors are those of `Session.run`.
   */
  run(
    feeds: FeedsByInput,
    fetches?: readonly string[],
  ): Promise<Readonly<Record<string, HostTensor>>>;
  /** Terminates the worker. Pending calls are rejected, and the next call starts another worker. */
  restart(): void;
  /** Terminates the worker. Pending and later calls of `run` are rejected. */
  dispose(): void;
  /** Same as `dispose`. */
  [Symbol.dispose](): void;
}

/**
 * Opens a session in a dedicated worker. A model that hangs or breaks the runtime does not affect the calling thread,
 * and the next run starts another worker. Use it for untrusted models, and for servers that must stay available. The
 * worker has its own runtime, number of threads and lock.
 *
 * @throws {SyntaxError | TypeError | RangeError | Error | BackendUnavailableError} as `openSession` does
 *
 * @example
 * ```ts
 * import { openSessionInWorker } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * // y = x + x, for any number of rows of three
 * const double = Uint8Array.fromBase64(
 *   "CAo6QwoSCgF4CgF4EgF5GgIueSIDQWRkEgFnWhQKAXgSDwoNCAESCQoDEgFOCgIIA2IUCgF5Eg8KDQgBEgkKAxIBTgoCCANCAhAS",
 * );
 * using session = await openSessionInWorker(double, { timeout: 30_000 });
 * const { y } = await session.run({ x: { data: Float32Array.of(1, 2, 3), dims: [1, 3] } });
 * assertEquals(y!.data, Float32Array.of(2, 4, 6));
 * ```
 */
export async function openSessionInWorker(
  source: ModelSource,
  options: WorkerSessionOptions = {},
): Promise<WorkerSession> {
  checkOptions(options.name ?? "a model", options);
  const { worker, ...rest } = options;
  return await startSessionInWorker(await loadModel(source, options), {
    ...rest,
    // A web worker has all members of a ScriptWorker; its type also requires the origin of events.
    ...(worker === undefined ? {} : { worker: worker as unknown as () => ScriptWorker }),
  });
}

/** Opens a loaded model in a worker. Throws as {@linkcode openSessionInWorker} does. */
export async function startSessionInWorker(
  { bytes, name, external: externalData }: LoadedModel,
  options: Omit<WorkerSessionOptions, "worker"> & { readonly worker?: () => ScriptWorker },
): Promise<WorkerSession> {
  const { timeout = 60_000, worker = openWorker, signal, wasmFile, ...rest } = options;
  // `loadModel` has already downloaded and checked the files.
  const { download: _, ...settings } = rest;
  const session = new SessionInWorker({
    bytes,
    timeout,
    worker,
    options: {
      ...settings,
      ...(wasmFile === undefined ? {} : { wasmFile: messageOf(wasmFile) }),
      name,
      externalData,
    },
  });
  await session.open(signal);
  return session;
}

/** Returns the address of a file as text, because a message cannot contain a URL. Returns bytes unchanged. */
function messageOf(file: URL | Uint8Array): string | Uint8Array {
  return file instanceof Uint8Array ? file : file.href;
}

/**
 * Returns feeds whose arrays span their whole buffers. A message copies the whole buffer of an array, so the bytes
 * outside of a smaller array would be copied unnecessarily.
 */
function compact(feeds: FeedsByInput): FeedsByInput {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, feed]): [string, HostFeed] => {
      const { data } = feed;
      const isWhole = data?.byteLength === data?.buffer?.byteLength;
      return [name, isWhole ? feed : { ...feed, data: data.slice() }];
    }),
  );
}

/**
 * Minimum timeout for opening, in milliseconds: compiling the runtime and planning the model may be slow on a busy
 * machine.
 */
const SLOWEST_OPENING = 60_000;

function openWorker(): ScriptWorker {
  if (typeof Worker === "undefined") return startSessionWorker(); // Node
  const worker = new Worker(new URL("./session_worker.ts", import.meta.url), { type: "module" });
  return worker as unknown as ScriptWorker;
}

/** Starts the worker of a session by `node:worker_threads`, in Node and Deno. */
export function startSessionWorker(): ScriptWorker {
  return startAwaitedWorker(new URL("./session_worker.ts", import.meta.url))!;
}

interface WorkerParts {
  readonly bytes: Uint8Array;
  readonly options: WorkerOptions & { readonly name: string };
  readonly timeout: number;
  readonly worker: () => ScriptWorker;
}

/** A worker that is opening the model or has opened it. */
interface RunningWorker {
  readonly worker: ScriptWorker;
  readonly opened: Promise<void>;
  isOpen: boolean;
}

class SessionInWorker implements WorkerSession {
  readonly #parts: WorkerParts;
  readonly #requests: PendingRequests;
  /**
   * Properties of the model, as reported by the latest worker; `undefined` until the first worker has opened the
   * model.
   */
  #info: WorkerSessionInfo | undefined;
  #running: RunningWorker | undefined;
  #started = 0;
  #runs = 0;
  #isDisposed = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#requests = new PendingRequests({
      timeout: () => Math.max(parts.timeout, this.#running?.isOpen ? 0 : SLOWEST_OPENING),
      silent: (call, timeout) => this.#end(this.#hung(call, timeout)),
    });
  }

  get name(): string {
    return this.#parts.options.name;
  }

  get device(): SessionDevice {
    return this.#info!.device;
  }

  get threads(): number {
    return this.#info!.threads;
  }

  get inputs(): WorkerSessionInfo["inputs"] {
    return this.#info!.inputs;
  }

  get outputs(): WorkerSessionInfo["outputs"] {
    return this.#info!.outputs;
  }

  get restarts(): number {
    return Math.max(0, this.#started - 1);
  }

  /**
   * Starts a worker if no worker is running, and waits until it has opened the model. If opening fails, the worker is
   * terminated.
   */
  async open(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const giveUp = () => this.#end(signal!.reason as Error);
    signal?.addEventListener("abort", giveUp, { once: true });
    const { opened } = this.#running ??= this.#start();
    try {
      await opened;
    } catch (error) {
      if (this.#running?.opened === opened) this.#end(error as Error);
      throw error;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  async run(
    feeds: FeedsByInput,
    fetches?: readonly string[],
  ): Promise<Readonly<Record<string, HostTensor>>> {
    if (this.#isDisposed) {
      throw new Error(`Cannot run ${this.name}: its session was disposed of`);
    }
    await this.open();
    const reply = await this.#requests.ask(this.#running!.worker, `run ${++this.#runs}`, {
      kind: "run",
      feeds: compact(feeds),
      fetches,
    });
    return (reply as { readonly outputs: Readonly<Record<string, HostTensor>> }).outputs;
  }

  restart(): void {
    this.#end(this.#unavailable("hung", "its worker was restarted before it replied"));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#end(new Error(`Cannot run ${this.name}: its session was disposed of`));
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #start(): RunningWorker {
    const worker = this.#parts.worker();
    this.#started++;
    worker.onmessage = ({ data }) => this.#requests.settle(data as WorkerReply);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#end(this.#unavailable("broken", `its worker failed: ${event.message}`));
    };
    worker.onmessageerror = () =>
      this.#end(this.#unavailable("broken", "a message of its worker could not be read"));
    const running: RunningWorker = { worker, opened: this.#openModel(worker), isOpen: false };
    return running;
  }

  async #openModel(worker: ScriptWorker): Promise<void> {
    const { bytes, options } = this.#parts;
    const reply = await this.#requests.ask(worker, "opening", { kind: "open", bytes, options });
    this.#info = (reply as { readonly info: WorkerSessionInfo }).info;
    this.#running!.isOpen = true;
  }

  #end(error: Error): void {
    this.#running?.worker.terminate();
    this.#running = undefined;
    this.#requests.rejectAll(error);
  }

  #hung(call: string, timeout: number): BackendUnavailableError {
    const { threads = 1 } = this.#parts.options;
    const advice = [
      "Pass a larger timeout if it needs longer",
      ...(threads > 1 ? [`or threads: 1 instead of ${threads}`] : []),
      ...(isDeno() ? ["its thread keeps a CPU core busy until the process ends"] : []),
    ];
    return this.#unavailable(
      "hung",
      `${call} got no reply within ${timeout} ms, and the worker was terminated. ${
        advice.join("; ")
      }`,
    );
  }

  #unavailable(reason: "hung" | "broken", cause: string): BackendUnavailableError {
    const during = this.#info === undefined ? "open" : "run";
    const next = during === "run" ? "; the next run starts another worker" : "";
    return new BackendUnavailableError(
      `Cannot ${during} ${this.name}: ${cause}${next}`,
      { backend: this.#parts.options.device ?? "wasm", reason, during },
    );
  }
}
