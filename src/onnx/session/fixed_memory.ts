/**
 * Fixed-size memory for onnxruntime-web with threads, because growing shared memory hangs it in Deno.
 *
 * V8 checks each WebAssembly memory access, either by a trap handler or by comparing with a size that each isolate
 * keeps. Deno has no trap handler. When one thread grows a shared memory, the other isolates learn the new size
 * only when they handle a message. Until then a thread that reads the new memory traps and ends, and the thread
 * that waits for it spins inside WebAssembly forever, so the timers of its isolate never fire. Memory that never
 * grows is not affected. Node and browsers have a trap handler, so their memory may grow.
 *
 * @module
 */

/** Size of a page of WebAssembly memory, in bytes. */
const PAGE = 65_536;

/**
 * Maximum number of pages of the memory that onnxruntime-web requests. The runtime throws if its memory has exactly
 * this many, so fixed memory has fewer.
 */
const MOST_PAGES = 65_536;

/** Smallest size of fixed memory that lets the runtime start, in bytes. */
export const LEAST_MEMORY: number = 256 * PAGE;

/** Largest size of fixed memory, in bytes. */
export const MOST_MEMORY: number = (MOST_PAGES - 1) * PAGE;

/** Default size of fixed memory, in bytes. */
export const DEFAULT_MEMORY: number = 2 ** 31;

/** Options of the `WebAssembly.Memory` constructor that are used here. */
interface Description {
  readonly initial: number;
  readonly maximum?: number;
  readonly shared?: boolean;
}

/**
 * The global `WebAssembly` with a writable member `Memory`. The standard type declarations make the member read-only.
 */
interface Host {
  Memory: new (description: Description) => WebAssembly.Memory;
}

/**
 * Runs `start` while `WebAssembly.Memory` is replaced. The runtime's shared memory then has `bytes` from the
 * beginning and cannot grow. A model that needs more memory fails with an error.
 */
export async function withFixedMemory<T>(bytes: number, start: () => Promise<T>): Promise<T> {
  const host = WebAssembly as unknown as Host;
  const { Memory } = host;
  const pages = Math.ceil(bytes / PAGE);
  host.Memory = function (description: Description) {
    const { shared = false, initial, maximum } = description;
    // Recognize the memory of the runtime by its limit, so that other shared memory that is created meanwhile
    // keeps its size.
    const isRuntime = shared && maximum === MOST_PAGES && initial <= pages;
    return new Memory(isRuntime ? { shared, initial: pages, maximum: pages } : description);
  } as unknown as Host["Memory"];
  try {
    return await start();
  } finally {
    host.Memory = Memory;
  }
}
