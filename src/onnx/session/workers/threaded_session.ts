/**
 * Sessions with several threads in Deno. Each has its own worker, because a hanging call can be ended only from
 * another thread: the thread that waits for it spins inside WebAssembly, and its timers never fire.
 *
 * @module
 */

import type { ModelOutline } from "../../describe/model_outline.ts";
import type { FeedsByInput } from "../compare_sessions.ts";
import type { LoadedModel } from "../session_model.ts";
import type { SessionOptions } from "../session_options.ts";
import { type OutputRules, toHostTensor } from "../session_outputs.ts";
import type { Session } from "../session_run.ts";
import type { RuntimeTensor } from "../session_runtime.ts";
import {
  startSessionInWorker,
  startSessionWorker,
  type WorkerSession,
} from "./session_in_worker.ts";
import type { Feeds, Fetches, Outputs, TensorInfo } from "../session_tensor.ts";

/** Default timeout of calls of a session with several threads, in milliseconds. */
export const DEFAULT_TIMEOUT = 300_000;

/** Opens a model with several threads in a worker. Throws as `openSession` does. */
export async function openThreadedSession(
  loaded: LoadedModel,
  { timeout = DEFAULT_TIMEOUT, ...options }: SessionOptions,
  note: string,
): Promise<Session> {
  const session = await startSessionInWorker(loaded, {
    ...options,
    timeout,
    worker: startSessionWorker,
  });
  return new ThreadedSession(session, loaded.outline, note);
}

/** A session in a worker, with the interface of a session in the current thread. */
class ThreadedSession implements Session {
  readonly device = "wasm";
  readonly note: string;
  readonly gpuDevice = undefined;
  readonly isCaptured = false;
  readonly outline: ModelOutline;
  readonly #session: WorkerSession;
  readonly #rules: OutputRules;

  constructor(session: WorkerSession, outline: ModelOutline, note: string) {
    this.note = note;
    this.outline = outline;
    this.#session = session;
    this.#rules = { name: session.name, checkFinite: false }; // The worker checks the outputs.
  }

  get name(): string {
    return this.#session.name;
  }

  get threads(): number {
    return this.#session.threads;
  }

  get inputs(): readonly TensorInfo[] {
    return this.#session.inputs;
  }

  get outputs(): readonly TensorInfo[] {
    return this.#session.outputs;
  }

  async run(feeds: Feeds, fetches?: Fetches): Promise<Outputs> {
    this.#checkInHost(feeds);
    if (fetches === undefined || Array.isArray(fetches)) {
      return await this.#session.run(feeds as FeedsByInput, fetches);
    }
    this.#checkInHost(fetches as Exclude<Fetches, readonly string[]>);
    const made = await this.#session.run(feeds as FeedsByInput, Object.keys(fetches));
    return Object.fromEntries(
      Object.entries(made).map(([name, tensor]) => {
        const info = { name, dtype: tensor.dtype, shape: [] };
        return [name, toHostTensor(this.#rules, info, tensor as unknown as RuntimeTensor, fetches)];
      }),
    );
  }

  dispose(): Promise<void> {
    this.#session.dispose();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #checkInHost(tensors: Readonly<Record<string, object | null>>): void {
    for (const [name, tensor] of Object.entries(tensors)) {
      if (tensor === null || !("buffer" in tensor)) continue;
      throw new TypeError(
        `Cannot run ${this.name}: on wasm ${name} must be in host memory; got a GPU buffer`,
      );
    }
  }
}
