import { BackendUnavailableError } from "../../backend/backend_unavailable_error.ts";
import { isIsolated } from "../../platform/page.ts";
import { isServer } from "../../platform/process.ts";
import type { Runtime } from "./session_runtime.ts";

/** Returns the reason why a session cannot use several threads, with a remedy; `undefined` if it can. */
function threadsProblem(runtime: Runtime): string | undefined {
  if (isServer()) return undefined;
  if (!isIsolated()) {
    return "the page is not cross-origin isolated, so threads cannot share memory. Serve it with the headers " +
      "Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp";
  }
  // The runtime starts threads from the script that contains it, so each thread would start the page again.
  if (sharesScript(runtime)) {
    return "the bundler has put onnxruntime-web into the script of the page. Bundle with code splitting";
  }
  return undefined;
}

/**
 * Returns whether the runtime is in the same script as this file. Only the stack traces of the runtime's errors name
 * its script.
 */
function sharesScript({ Tensor }: Runtime): boolean {
  try {
    new Tensor("none" as never, new Float32Array(1), [1]);
  } catch (error) {
    const there = scriptOf(error);
    return there !== undefined && there === scriptOf(new Error("here"));
  }
  return false;
}

/**
 * Returns the address of the script at the top of a stack trace; `undefined` if there is none. All browsers print
 * address, line and column.
 */
function scriptOf(error: unknown): string | undefined {
  const trace = error instanceof Error ? error.stack ?? "" : "";
  return /[a-z][a-z\d+.-]*:\/\/[^\s()]+?(?=:\d+:\d+)/i.exec(trace)?.[0];
}

/**
 * Runs `start`, and restores the global `Worker` afterwards. On servers the runtime replaces it by Node's `Worker`
 * class when it starts. That class never calls `onmessage`, so the program's own workers would seem silent. The
 * runtime creates all its threads while it starts, so it does not need the replacement later.
 */
export async function keepingWorker<T>(start: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(globalThis, "Worker");
  try {
    return await start();
  } finally {
    if (before === undefined) delete (globalThis as { Worker?: unknown }).Worker;
    else Object.defineProperty(globalThis, "Worker", before);
  }
}

/**
 * Checks the number of threads of a session before the runtime starts.
 *
 * @throws {BackendUnavailableError} if the page cannot start threads
 */
export function checkThreads(name: string, threads: number, runtime: Runtime): void {
  const problem = threads > 1 ? threadsProblem(runtime) : undefined;
  if (problem === undefined) return;
  throw new BackendUnavailableError(
    `Cannot open ${name} with ${threads} threads: ${problem}, or pass threads: 1`,
    { backend: "wasm", reason: "absent", during: "open" },
  );
}

/**
 * Throws a RangeError if the runtime was started with another number of threads. It is started once for all
 * sessions.
 */
export function checkStartedThreads(
  name: string,
  wanted: number | undefined,
  runtime: Runtime,
): void {
  const current = runtime.env.wasm.numThreads ?? 1;
  if (wanted === undefined || wanted === current) return;
  throw new RangeError(
    `Cannot open ${name}: threads must be ${current}, as in the first session of this process; got ${wanted}. ` +
      "Open the model in a worker, which has its own runtime",
  );
}
