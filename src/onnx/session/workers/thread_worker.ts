/**
 * Worker of a session with several threads in Deno, created by `node:worker_threads`.
 *
 * @module
 */

import { findWorkerThreads, type NodeWorker } from "../../../platform/worker_threads.ts";
import type { WorkerReply, WorkerRequest } from "./worker_messages.ts";

/** Members of a worker that a session uses. */
export interface SessionWorker {
  onmessage: ((event: MessageEvent<WorkerReply>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(request: WorkerRequest): void;
  terminate(): void;
}

/** Value of `workerData` that identifies the workers of this file. */
export const THREAD_WORKER = "@hooke/hooke/onnx/worker";

/**
 * A worker that keeps the process alive only while a request is pending. A web worker of Deno would keep the process
 * alive until the worker is terminated, so a program that does not dispose of its session would never end.
 */
export class ThreadWorker implements SessionWorker {
  onmessage: SessionWorker["onmessage"] = null;
  onerror: SessionWorker["onerror"] = null;
  readonly #worker: NodeWorker;
  #pending = 0;
  #isEnded = false;

  constructor() {
    const { Worker } = findWorkerThreads()!;
    const script = new URL("./session_worker.ts", import.meta.url);
    this.#worker = new Worker(script, { workerData: THREAD_WORKER });
    this.#worker.on("message", (data) => {
      if (--this.#pending === 0) this.#worker.unref();
      this.onmessage?.(new MessageEvent("message", { data: data as WorkerReply }));
    });
    this.#worker.on("error", ({ message }) => this.#failed(message));
    this.#worker.on("exit", (code) => this.#failed(`it ended with code ${code}`));
  }

  postMessage(request: WorkerRequest): void {
    this.#worker.postMessage(request);
    if (this.#pending++ === 0) this.#worker.ref();
  }

  terminate(): void {
    this.#isEnded = true;
    void this.#worker.terminate();
  }

  #failed(message: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    // Node 22 has no ErrorEvent.
    this.onerror?.({ message, preventDefault: () => {} } as ErrorEvent);
  }
}
