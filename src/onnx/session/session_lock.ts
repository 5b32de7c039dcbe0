/**
 * A lock around onnxruntime. Its WebGPU build unwinds and rewinds a single stack: if a second call starts while the
 * first waits for the GPU, the whole process hangs, including its timers, or the call reads memory of another one.
 * So creations, runs and releases of all sessions run one after another.
 *
 * The runtime exists once per process, and so must the lock. It is a property of `globalThis`, because two copies
 * of this package may share one runtime.
 *
 * @module
 */

/** Number of tasks that are pending or running, and the end of the last one. */
interface Queue {
  waiting: number;
  last: Promise<unknown>;
}

const KEY = Symbol.for("@hooke/hooke/onnx/lock");

/** A queue without tasks. */
const IDLE: Promise<unknown> = Promise.resolve();

function queue(): Queue {
  const holder = globalThis as unknown as { [KEY]?: Queue };
  return holder[KEY] ??= { waiting: 0, last: IDLE };
}

/**
 * Runs `task` while nothing else uses onnxruntime, in the order of the calls, and returns its result. Code that
 * uses onnxruntime-web directly beside this package must do so within this function. A task must not wait for
 * another task.
 *
 * ```ts
 * import { withRuntime } from "@hooke/hooke/onnx";
 * import { assertEquals } from "@std/assert";
 *
 * const order: number[] = [];
 * await Promise.all([1, 2].map((n) => withRuntime(async () => void order.push(await n))));
 * assertEquals(order, [1, 2]);
 * ```
 */
export async function withRuntime<T>(task: () => T | PromiseLike<T>): Promise<T> {
  const turns = queue();
  const before = turns.last;
  let end!: () => void;
  turns.last = new Promise<void>((resolve) => end = resolve);
  turns.waiting++;
  try {
    // Await only if tasks are pending: even a settled promise costs a microtask.
    if (turns.waiting > 1) await before;
    return await task();
  } finally {
    if (--turns.waiting === 0) turns.last = IDLE; // Let the last promise be collected.
    end();
  }
}
