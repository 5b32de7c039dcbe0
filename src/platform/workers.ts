/**
 * Workers, which run a script in a separate thread: web workers in a page and in Deno, `node:worker_threads` in Node.
 *
 * @module
 */

import { isDeno } from "./process.ts";
import { findWorkerThreads, type NodeWorker } from "./worker_threads.ts";

/** A worker, as seen from the thread that started it. Web workers implement this interface. */
export interface ScriptWorker {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onerror: ((event: { readonly message: string; preventDefault(): void }) => void) | null;
  onmessageerror: (() => void) | null;
  postMessage(message: unknown): void;
  terminate(): void;
}

/** A worker, as seen from its script. The global scope of a web worker implements this interface. */
export interface WorkerScope {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown, transfer: readonly ArrayBufferLike[]): void;
}

/** Value of `workerData` that identifies the workers that `startWorker` starts in Node. */
const STARTED_HERE = "@hooke/hooke";

/**
 * Starts a worker that runs a script. Returns `undefined` if the runtime has no workers.
 *
 * @param web starts it as a web worker. It must contain the address of the script as `new Worker(new URL("…",
 * import.meta.url))`, because bundlers of pages look for these words.
 */
export function startWorker(script: URL, web: () => Worker): ScriptWorker | undefined {
  if (typeof Worker !== "undefined") return web() as unknown as ScriptWorker;
  const threads = findWorkerThreads();
  if (threads === undefined) return undefined;
  return new NodeScriptWorker(new threads.Worker(script, { workerData: STARTED_HERE }));
}

/**
 * Returns the scope of the worker that runs this script; `undefined` outside of a worker, and in workers of Node that
 * `startWorker` did not start. In Node, the first call starts the delivery of messages; each scope
 * returned receives all of them.
 */
export function workerScope(): WorkerScope | undefined {
  const scope = globalThis as unknown as WorkerScope & { readonly WorkerGlobalScope?: unknown };
  if (scope.WorkerGlobalScope !== undefined) return scope;
  if (isDeno()) return undefined; // workers of Deno are web workers
  const threads = findWorkerThreads();
  if (threads?.workerData !== STARTED_HERE) return undefined;
  const port = threads.parentPort!;
  const inside: WorkerScope = {
    onmessage: null,
    postMessage: (message, transfer) => port.postMessage(message, transfer),
  };
  port.on("message", (data) => inside.onmessage?.({ data }));
  return inside;
}

class NodeScriptWorker implements ScriptWorker {
  onmessage: ScriptWorker["onmessage"] = null;
  onerror: ScriptWorker["onerror"] = null;
  onmessageerror: ScriptWorker["onmessageerror"] = null;
  readonly #worker: NodeWorker;
  #isTerminated = false;

  constructor(worker: NodeWorker) {
    this.#worker = worker;
    const fail = (message: string) => this.onerror?.({ message, preventDefault: () => {} });
    worker.on("message", (data) => this.onmessage?.({ data }));
    worker.on("messageerror", () => this.onmessageerror?.());
    worker.on("error", ({ message }) => fail(message));
    worker.on("exit", (code) => {
      if (!this.#isTerminated) fail(`the worker ended with code ${code}`);
    });
  }

  postMessage(message: unknown): void {
    this.#worker.postMessage(message);
  }

  terminate(): void {
    this.#isTerminated = true;
    void this.#worker.terminate();
  }
}
