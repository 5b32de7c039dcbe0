import { BackendUnavailableError } from "../backend_unavailable_error.ts";
import type { Backend } from "../backend.ts";
import { checkThreads } from "./check_threads.ts";
import { ThreadedBackend } from "./threaded_backend.ts";

/** How {@linkcode openThreads} starts threads. */
export interface ThreadsOptions {
  /**
   * Makes a worker, for a bundler that must be told where it is: of a script that imports
   * `@hooke/hooke/backend/worker`.
   *
   * @default the one of this package
   */
  readonly worker?: () => Worker;
}

/**
 * The WebAssembly backend on several threads, for engines: each of so many workers has some of the systems of a batch,
 * and kernels of its own. What comes of it is what one thread gives, to the bit. `threads: n` of an engine opens one of
 * its own; this one stays open until it is disposed of, and keeps a process alive until then.
 *
 * Starting a worker takes `--allow-read` of this package in Deno, or `--allow-import` where it comes from the net.
 *
 * @throws {TypeError | RangeError} for what is no number of threads
 *
 * @example
 * ```ts
 * import { openThreads } from "@hooke/hooke/backend";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 *
 * const backend = openThreads(2);
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 2,
 *   backend,
 * });
 * backend.dispose();
 * ```
 */
export function openThreads(threads: number, options: ThreadsOptions = {}): Backend {
  checkThreads("open threads", threads);
  return new ThreadedBackend(threads, options.worker ?? openWorker);
}

function openWorker(): Worker {
  if (typeof Worker === "undefined") {
    throw new BackendUnavailableError(
      "Cannot open threads as the runtime must have workers: there is no Worker here, so leave out threads",
      { backend: "wasm", reason: "absent", during: "open" },
    );
  }
  return new Worker(new URL("./thread_worker.ts", import.meta.url), { type: "module" });
}
