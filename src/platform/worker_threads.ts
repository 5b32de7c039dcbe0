import { findBuiltin } from "./process.ts";

/** Members of a worker of `node:worker_threads` that are used here. */
export interface NodeWorker {
  on(event: "message", listener: (message: unknown) => void): void;
  on(event: "messageerror", listener: () => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  on(event: "exit", listener: (code: number) => void): void;
  postMessage(message: unknown): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

/** Members of `node:worker_threads` that are used here. */
export interface WorkerThreads {
  readonly Worker: new (script: URL, options: { readonly workerData: unknown }) => NodeWorker;
  readonly workerData: unknown;
  readonly parentPort: {
    on(event: "message", listener: (message: unknown) => void): void;
    postMessage(message: unknown, transfer: readonly ArrayBufferLike[]): void;
  } | null;
}

/** Returns `node:worker_threads`, which Deno has as well; `undefined` in a web page. */
export function findWorkerThreads(): WorkerThreads | undefined {
  return findBuiltin("node:worker_threads") as unknown as WorkerThreads | undefined;
}
