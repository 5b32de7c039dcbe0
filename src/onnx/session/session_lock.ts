/**
 * One lock around onnxruntime. Its WebGPU build unwinds and rewinds one stack: a second call that comes in while the
 * first waits for the GPU hangs the whole process, timers and all, or reads another call's memory. So every create,
 * run and release of every session takes its turn here.
 *
 * The runtime is one per process, and so is the lock: it hangs on `globalThis`, because two copies of this package
 * may share the one runtime.
 *
 * @module
 */

/** How many turns were asked for and have not ended, and the end of the last of them. */
interface Queue {
  waiting: number;
  last: Promise<unknown>;
}

const KEY = Symbol.for("@hooke/hooke/onnx/lock");

/** Nothing to wait for. */
const IDLE: Promise<unknown> = Promise.resolve();

function queue(): Queue {
  const holder = globalThis as unknown as { [KEY]?: Queue };
  return holder[KEY] ??= { waiting: 0, last: IDLE };
}

/**
 * Runs `task` when nothing else uses onnxruntime, in the order of the calls, and answers with its result. Whoever
 * uses onnxruntime-web directly besides this package must do it in here. A task must not wait for another one.
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
    // Without a queue there is no turn of the loop to wait for.
    if (turns.waiting > 1) await before;
    return await task();
  } finally {
    if (--turns.waiting === 0) turns.last = IDLE; // keeps nothing alive
    end();
  }
}
