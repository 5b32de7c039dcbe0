import { findNavigator, isIsolated } from "../../platform/page.ts";
import { isDeno, isServer } from "../../platform/process.ts";
import type { Runtime } from "./session_runtime.ts";

/** Returns the default number of threads: 1 in Deno, elsewhere half the number of processors, at most 4. */
export function defaultThreads(): number {
  if (isDeno()) return 1;
  return Math.min(4, Math.ceil((findNavigator()?.hardwareConcurrency ?? 1) / 2));
}

/**
 * Returns `wanted` if the runtime can use several threads, otherwise 1. It can use only one in a page without shared
 * memory, and in a page whose bundler has put the runtime into its single script: the runtime starts threads from the
 * script that contains it, so each thread would start the page again instead of the thread's code.
 */
export function possibleThreads(wanted: number, runtime: Runtime): number {
  if (isServer()) return wanted;
  return isIsolated() && !sharesScript(runtime) ? wanted : 1;
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
 * Throws a RangeError if the runtime was started with another number of threads. It is started once for all
 * sessions.
 */
export function checkThreads(name: string, wanted: number | undefined, runtime: Runtime): void {
  const current = runtime.env.wasm.numThreads ?? 1;
  if (wanted === undefined || possibleThreads(wanted, runtime) === current) return;
  throw new RangeError(
    `Cannot open ${name}: threads must be ${current}, as in the first session of this process; got ${wanted}. ` +
      "Open the model in a worker, which has its own runtime",
  );
}
