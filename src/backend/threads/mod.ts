/**
 * The WebAssembly backend on several threads.
 *
 * @module
 */

export { openThreads, type ThreadsOptions } from "./open_threads.ts";
export { ThreadedBackend } from "./threaded_backend.ts";
