/**
 * A lock around onnxruntime. The WebGPU build of onnxruntime unwinds and rewinds a single stack. If a second call
 * starts while the first waits for the GPU, the whole process hangs, including its timers, or a call reads memory of
 * another call. So creations, runs and releases of all sessions run one after another.
 *
 * The runtime exists once per process, so the lock must, too. The lock is a property of `globalThis`, because two
 * copies of this package may share one runtime.
 *
 * @module
 */

/**
 * Queue of the lock: `waiting` is the number of tasks that are pending or running, and `last` settles when the last
 * of them ends.
 */
interface Queue {
  waiting: number;
  last: Promise<unknown>;
}

const KEY = Symbol.for("@hooke/hooke/onnx/lock");

/** Value of `last` for a queue without tasks. */
const IDLE: Promise<unknown> = Promise.resolve();

function queue(): Queue {
  const holder = globalThis as unknown as { [KEY]?: Queue };
  return holder[KEY] ??= { waiting: 0, last: IDLE };
}

/**
 * Runs `task` while no other task uses onnxruntime, and returns its result. Tasks run in the order of the calls. A
 * program that also uses onnxruntime-web directly must do so within a task. A task must not wait for another task.
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
