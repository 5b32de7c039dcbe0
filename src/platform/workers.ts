/**
 * Workers, which run a script in a separate thread: web workers in a page and in Deno, and workers of
 * `node:worker_threads` in Node and Deno.
 *
 * @module
 */

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

/** Value of `workerData` that identifies the workers that this file starts by `node:worker_threads`. */
const STARTED_HERE = "@hooke/hooke";

/**
 * Starts a worker that runs a script. It keeps the process alive until it is terminated. Returns `undefined` if the
 * runtime has no workers.
 *
 * @param web starts it as a web worker. It must contain the address of the script as `new Worker(new URL("…",
 * import.meta.url))`, because bundlers of pages look for these words.
 */
export function startWorker(script: URL, web: () => Worker): ScriptWorker | undefined {
  if (typeof Worker !== "undefined") return web() as unknown as ScriptWorker;
  return startNodeWorker(script, false);
}

/**
 * Starts a worker by `node:worker_threads`, in Deno too, that replies to each message once. It keeps the process alive
 * only while a message has no reply. A web worker of Deno would keep the process alive until it is terminated. Returns
 * `undefined` in a web page.
 */
export function startAwaitedWorker(script: URL): ScriptWorker | undefined {
  return startNodeWorker(script, true);
}

function startNodeWorker(script: URL, isAwaited: boolean): ScriptWorker | undefined {
  const threads = findWorkerThreads();
  if (threads === undefined) return undefined;
  return new NodeScriptWorker(
    new threads.Worker(script, { workerData: STARTED_HERE }),
    isAwaited,
  );
}

/**
 * Returns the scope of the worker that runs this script; `undefined` outside of a worker, and in workers of
 * `node:worker_threads` that this file did not start. In these workers, the first call starts the delivery of
 * messages; each scope returned receives all of them.
 */
export function workerScope(): WorkerScope | undefined {
  const scope = globalThis as unknown as WorkerScope & { readonly WorkerGlobalScope?: unknown };
  if (scope.WorkerGlobalScope !== undefined) return scope;
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

/**
 * A worker of `node:worker_threads` with the interface of a web worker. If `isAwaited`, it keeps the process alive only
 * while a message has no reply; otherwise until it is terminated.
 */
class NodeScriptWorker implements ScriptWorker {
  onmessage: ScriptWorker["onmessage"] = null;
  onerror: ScriptWorker["onerror"] = null;
  onmessageerror: ScriptWorker["onmessageerror"] = null;
  readonly #worker: NodeWorker;
  readonly #isAwaited: boolean;
  #pending = 0;
  #isEnded = false;

  constructor(worker: NodeWorker, isAwaited: boolean) {
    this.#worker = worker;
    this.#isAwaited = isAwaited;
    worker.on("message", (data) => {
      if (isAwaited && --this.#pending === 0) worker.unref();
      this.onmessage?.({ data });
    });
    worker.on("messageerror", () => this.onmessageerror?.());
    worker.on("error", ({ message }) => this.#fail(message));
    worker.on("exit", (code) => this.#fail(`the worker ended with code ${code}`));
  }

  postMessage(message: unknown): void {
    this.#worker.postMessage(message);
    if (this.#isAwaited && this.#pending++ === 0) this.#worker.ref();
  }

  terminate(): void {
    this.#isEnded = true;
    void this.#worker.terminate();
  }

  /** Reports the first failure. An error is followed by the end of the worker, which is not reported again. */
  #fail(message: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    // Node 22 has no ErrorEvent.
    this.onerror?.({ message, preventDefault: () => {} });
  }
}
