import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import type { HostFeeds } from "./compare_sessions.ts";
import { PendingRequests } from "./pending_requests.ts";
import { loadModel } from "./session_model.ts";
import { checkOptions, type SessionOptions } from "./session_options.ts";
import type { ModelSource } from "./session_source.ts";
import type { HostTensor } from "./session_tensor.ts";
import type { WorkerSessionInfo } from "./session_worker.ts";

/** How {@linkcode openSessionInWorker} opens a session: tensors are in host memory, buffers cannot be sent. */
export interface WorkerSessionOptions
  extends Omit<SessionOptions, "gpuDevice" | "capture" | "outputs"> {
  /**
   * For how long the worker may be silent while it is asked for something, in milliseconds. Then it counts as hung,
   * and is ended. To open the model it always has a minute.
   *
   * @default 60000
   */
  readonly timeout?: number;
  /**
   * Makes the worker, for a bundler that must be told where it is: a script that imports
   * `@hooke/hooke/onnx/worker`.
   *
   * @default the one of this package
   */
  readonly worker?: () => Worker;
}

/** A session in a worker of its own. */
export interface WorkerSession extends WorkerSessionInfo {
  /** How often the worker was started again. */
  readonly restarts: number;
  /**
   * Runs the model once. The worker takes its calls in order.
   *
   * @throws {BackendUnavailableError} with the reason `"hung"` when the worker did not answer in time, to every call
   * it had; the next call starts another. Whatever a session throws otherwise.
   */
  run(
    feeds: HostFeeds,
    fetches?: readonly string[],
  ): Promise<Readonly<Record<string, HostTensor>>>;
  /** Ends the worker, whatever it does. Its calls are refused; the next one starts another. */
  restart(): void;
  /** Ends it for good. */
  dispose(): void;
  /** The same. */
  [Symbol.dispose](): void;
}

/**
 * Opens a session in a worker of its own. What hangs or breaks the runtime there leaves this thread as it is, and
 * the session starts again at the next run: for models one does not trust, and for servers that must go on. It has
 * a runtime of its own, hence its own number of threads, and its own lock.
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
  const { timeout = 60_000, worker = openWorker, signal, ...rest } = options;
  checkOptions(options.name ?? "a model", rest);
  const { bytes, name, external: externalData } = await loadModel(source, options);
  const session = new SessionInWorker({
    bytes,
    timeout,
    worker,
    options: { ...rest, name, externalData },
  });
  await session.open(signal);
  return session;
}

/** Compiling the runtime and planning the model, on a busy machine. Milliseconds. */
const SLOWEST_OPENING = 60_000;

function openWorker(): Worker {
  return new Worker(new URL("./session_worker.ts", import.meta.url), { type: "module" });
}

interface WorkerParts {
  readonly bytes: Uint8Array;
  readonly options: SessionOptions & { readonly name: string };
  readonly timeout: number;
  readonly worker: () => Worker;
}

/** A worker that has the model, or is opening it. */
interface RunningWorker {
  readonly worker: Worker;
  readonly opened: Promise<void>;
  isOpen: boolean;
}

class SessionInWorker implements WorkerSession {
  readonly #parts: WorkerParts;
  readonly #requests: PendingRequests;
  /** What the model is like, as of the last worker that opened it. */
  #info: WorkerSessionInfo | undefined;
  #running: RunningWorker | undefined;
  #started = 0;
  #isDisposed = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#requests = new PendingRequests({
      timeout: () => Math.max(parts.timeout, this.#running?.isOpen ? 0 : SLOWEST_OPENING),
      silent: (timeout) =>
        this.#end(
          this.#unavailable(
            "hung",
            `its worker must answer within ${timeout} ms: it did not, and was ended`,
          ),
        ),
    });
  }

  get name(): string {
    return this.#parts.options.name;
  }

  get device(): "wasm" | "webgpu" {
    return this.#parts.options.device ?? "wasm";
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

  /** Starts the worker if there is none; if it cannot open the model there is none again. */
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
    feeds: HostFeeds,
    fetches?: readonly string[],
  ): Promise<Readonly<Record<string, HostTensor>>> {
    if (this.#isDisposed) {
      throw new Error(`Cannot run ${this.name} as its session must be open: it was disposed of`);
    }
    await this.open();
    const reply = await this.#requests.ask(this.#running!.worker, { kind: "run", feeds, fetches });
    return (reply as { readonly outputs: Readonly<Record<string, HostTensor>> }).outputs;
  }

  restart(): void {
    this.#end(this.#unavailable("hung", "its worker must be left to answer: it was restarted"));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#end(new Error(`Cannot run ${this.name} as its session must be open: it was disposed of`));
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #start(): RunningWorker {
    const worker = this.#parts.worker();
    this.#started++;
    worker.onmessage = ({ data }) => this.#requests.settle(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#end(this.#unavailable("broken", `its worker must be in order: ${event.message}`));
    };
    const running: RunningWorker = { worker, opened: this.#openModel(worker), isOpen: false };
    return running;
  }

  async #openModel(worker: Worker): Promise<void> {
    const { bytes, options } = this.#parts;
    const reply = await this.#requests.ask(worker, { kind: "open", bytes, options });
    this.#info = (reply as { readonly info: WorkerSessionInfo }).info;
    this.#running!.isOpen = true;
  }

  #end(error: Error): void {
    this.#running?.worker.terminate();
    this.#running = undefined;
    this.#requests.rejectAll(error);
  }

  #unavailable(reason: "hung" | "broken", requirement: string): BackendUnavailableError {
    return new BackendUnavailableError(
      `Cannot run ${this.name} as ${requirement}; the next run starts another`,
      { backend: this.device, reason, during: "run" },
    );
  }
}
