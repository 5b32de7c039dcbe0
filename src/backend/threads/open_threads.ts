import { type ScriptWorker, startWorker } from "../../platform/workers.ts";
import { checkNumber, POSITIVE } from "../../base/check_number.ts";
import { BackendUnavailableError } from "../backend_unavailable_error.ts";
import type { Backend } from "../backend.ts";
import { checkThreads } from "../devices.ts";
import { ThreadedBackend } from "./threaded_backend.ts";

/** Options of {@linkcode openThreads}. */
export interface ThreadsOptions {
  /**
   * Creates a worker with a script that imports `@hooke/hooke/backend/worker`. Needed for bundlers that do not find
   * the script of this package.
   *
   * @default a worker of this package's script
   */
  readonly worker?: () => Worker;
  /**
   * Longest time without a message from a thread that has to reply, in milliseconds. After it, the thread is
   * considered hung or ended, and the backend fails. During long runs, a thread sends a message between steps.
   *
   * @default 60000
   */
  readonly timeout?: number;
}

/**
 * Opens the WebAssembly backend on several threads, for engines. Each worker computes some systems of a batch.
 * If there are fewer systems than threads, the workers share the work on systems of more than 4,096 atoms if that is
 * faster. Results are bitwise identical to those of one thread.
 *
 * An engine with the option `threads: n` opens such a backend itself. A backend opened by this function stays open,
 * and keeps the process alive, until it is disposed of.
 *
 * In Deno, starting a worker requires `--allow-read` for this package, or `--allow-import` if the package comes from
 * the network.
 *
 * @throws {TypeError | RangeError} if `threads` is not a positive integer, or `timeout` is
 * not a number above 0
 *
 * @example
 *
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
  const { worker, timeout = 60_000 } = options;
  // A web worker has all members of a ScriptWorker; its type also requires the origin of events.
  const start = (worker as unknown as (() => ScriptWorker) | undefined) ?? openWorker;
  checkNumber("open threads", "timeout", timeout, POSITIVE);
  return new ThreadedBackend(threads, start, timeout);
}

function openWorker(): ScriptWorker {
  const worker = startWorker(
    new URL("./thread_worker.ts", import.meta.url),
    () => new Worker(new URL("./thread_worker.ts", import.meta.url), { type: "module" }),
  );
  if (worker === undefined) {
    throw new BackendUnavailableError(
      'Cannot start threads: this runtime has no Worker. Leave out the option "threads" to run on one thread',
      { backend: "wasm", reason: "absent", during: "open" },
    );
  }
  return worker;
}
