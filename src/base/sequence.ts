/**
 * Sequences of work that stay synchronous unless a promise has to be awaited.
 *
 * A step whose functions all return at once runs without a promise, which would cost more than a small step. Each
 * function here runs the next work at once if the previous value is not a promise, and after the promise settles if
 * it is one. (No function is called `then`: `await import(…)` treats a module that exports `then` as a thenable.)
 *
 * @module
 */

/** Returns whether a value is a promise or another thenable, which must be awaited. */
export function isThenable(x: unknown): x is PromiseLike<unknown> {
  return typeof x === "object" && x !== null &&
    typeof (x as { then?: unknown }).then === "function";
}

/** Calls `next` with `value`, or with the resolved value if `value` is a promise. Returns the result of `next`. */
export function after<V, W>(
  value: V | PromiseLike<V>,
  next: (value: V) => W | PromiseLike<W>,
): W | PromiseLike<W> {
  return isThenable(value) ? value.then(next) : next(value as V);
}

/**
 * Returns `result`: at once if `before` is not a promise, or when `before` resolves. Hot paths use this instead of
 * `after(before, () => …)`, because it allocates a closure only if it has to wait.
 */
export function resultAfter<T>(before: void | PromiseLike<void>, result: T): T | PromiseLike<T> {
  return isThenable(before) ? before.then(returning(result)) : result;
}

/** Returns a function that returns `value`. A closure in `resultAfter` itself would allocate a scope in each call. */
function returning<T>(value: T): () => T {
  return () => value;
}

/** Runs functions in order. Each one starts when the previous one is done. */
export function inOrder(
  ...steps: readonly (() => void | PromiseLike<void>)[]
): void | PromiseLike<void> {
  for (const [i, step] of steps.entries()) {
    const waiting = step();
    if (isThenable(waiting)) return waiting.then(() => inOrder(...steps.slice(i + 1)));
  }
}

/** Runs `work`, then `cleanup` even if `work` failed. Returns the result of `work`, or throws its error. */
export function withCleanup<T>(
  work: () => T | PromiseLike<T>,
  cleanup: () => void,
): T | PromiseLike<T> {
  let result: T | PromiseLike<T>;
  try {
    result = work();
  } catch (error) {
    cleanup();
    throw error;
  }
  if (isThenable(result)) return Promise.resolve(result as PromiseLike<T>).finally(cleanup);
  cleanup();
  return result;
}

/** Runs `work`. If it fails, calls `handle` with the error; `handle` throws an error or returns a result instead. */
export function catching<T>(
  work: () => T | PromiseLike<T>,
  handle: (error: unknown) => T | PromiseLike<T>,
): T | PromiseLike<T> {
  try {
    const result = work();
    return isThenable(result) ? (result as PromiseLike<T>).then(undefined, handle) : result;
  } catch (error) {
    return handle(error);
  }
}

/**
 * Number of turns of the event loop in which Deno handles events from other threads, measured with Deno 2.9: a signal
 * needs 4, and a finished call of the file system up to 31, because Deno's scheduler looks for work of other threads
 * only once in 31 turns as long as it has work of its own. With fewer turns, each awaited call took seven hops. All turns
 * take 70 µs.
 */
const TURNS = 32;

/**
 * Yields to the event loop, so that signals, timers, messages and the results of files can arrive, which no microtask
 * allows. It takes less than 0.1 ms; a timer takes milliseconds.
 */
export function hop(): Promise<void> {
  const { setImmediate: turn } = globalThis as {
    readonly setImmediate?: (next: () => void) => void;
  };
  return new Promise((resolve) => {
    // In Deno, messages are delivered before timers and signals, which a loop of messages would delay without end.
    if (turn !== undefined) return takeTurns(TURNS, turn, resolve);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

function takeTurns(count: number, turn: (next: () => void) => void, done: () => void): void {
  turn(count === 1 ? done : () => takeTurns(count - 1, turn, done));
}
