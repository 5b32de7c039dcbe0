import type { Runtime } from "./session_runtime.ts";

/** What is looked at to know how many threads there can be. */
interface Host {
  readonly process?: { readonly versions?: { readonly node?: string } };
  readonly navigator?: { readonly hardwareConcurrency?: number };
  readonly crossOriginIsolated?: boolean;
}

const host = globalThis as unknown as Host;

/** Whether this is Node, Deno or Bun: their build of the runtime has threads without further ado. */
export function isServer(): boolean {
  return typeof host.process?.versions?.node === "string";
}

/** How many threads to use when nothing is said: half the processors, at most 4. */
export function defaultThreads(): number {
  return Math.min(4, Math.ceil((host.navigator?.hardwareConcurrency ?? 1) / 2));
}

/**
 * As many as there can be. A page that shares no memory has one. So has a page of a single script, which a bundler
 * has put the runtime into: its threads begin with the script that it is in, which would begin the page over and over
 * and never the thread.
 */
export function possibleThreads(wanted: number, runtime: Runtime): number {
  if (isServer()) return wanted;
  return host.crossOriginIsolated === true && !sharesScript(runtime) ? wanted : 1;
}

/** Whether the runtime is in the same script as this. Only its errors tell where it is. */
function sharesScript({ Tensor }: Runtime): boolean {
  try {
    new Tensor("none" as never, new Float32Array(1), [1]);
  } catch (error) {
    const there = scriptOf(error);
    return there !== undefined && there === scriptOf(new Error("here"));
  }
  return false;
}

/** The script that an error comes from, as all browsers have it in their traces: an address, line and column. */
function scriptOf(error: unknown): string | undefined {
  const trace = error instanceof Error ? error.stack ?? "" : "";
  return /[a-z][a-z\d+.-]*:\/\/[^\s()]+?(?=:\d+:\d+)/i.exec(trace)?.[0];
}

/**
 * Runs `start`, after which `Worker` is again what it was. On servers the runtime puts Node's in its place as it
 * starts, which calls no `onmessage`: the program's own workers would be silent from then on. It makes its threads
 * while it starts, and no more of them later.
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
 * Throws a RangeError when the runtime runs with another number of threads than asked for: it was started once, for
 * all sessions.
 */
export function checkThreads(name: string, wanted: number | undefined, runtime: Runtime): void {
  const current = runtime.env.wasm.numThreads ?? 1;
  if (wanted === undefined || possibleThreads(wanted, runtime) === current) return;
  throw new RangeError(
    `Cannot open ${name} as threads must be those of the process's first session: wanted ${wanted}, current is ` +
      `${current}; open it in a worker, which has a runtime of its own`,
  );
}
