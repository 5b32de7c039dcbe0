/**
 * Sequences of work that stay synchronous unless something has to be awaited.
 *
 * A step whose parts all return at once runs without a promise, which would cost more than a small step. Each function
 * here runs the next work at once if the value before is not a promise, and when it settles if it is. (There is no
 * `then` among them: a module that exports `then` is itself a thenable for `await import(…)`.)
 *
 * @module
 */

/** Returns whether a value has to be awaited. */
export function isThenable(x: unknown): x is PromiseLike<unknown> {
  return typeof x === "object" && x !== null &&
    typeof (x as { then?: unknown }).then === "function";
}

/** Calls `next` with a value, or with the value of a promise, and returns its result. */
export function after<V, W>(
  value: V | PromiseLike<V>,
  next: (value: V) => W | PromiseLike<W>,
): W | PromiseLike<W> {
  return isThenable(value) ? value.then(next) : next(value as V);
}

/**
 * Returns a result: at once, or when the work before it settles. Hot paths use this instead of
 * `after(before, () => …)`, because it allocates a closure only if there is something to wait for.
 */
export function resultAfter<T>(before: void | PromiseLike<void>, result: T): T | PromiseLike<T> {
  return isThenable(before) ? before.then(returning(result)) : result;
}

/** Returns a function that returns a value: a closure in `resultAfter` itself would cost a scope in each call. */
function returning<T>(value: T): () => T {
  return () => value;
}

/** Runs functions in order, each when the one before is done. */
export function inOrder(
  ...steps: readonly (() => void | PromiseLike<void>)[]
): void | PromiseLike<void> {
  for (const [i, step] of steps.entries()) {
    const waiting = step();
    if (isThenable(waiting)) return waiting.then(() => inOrder(...steps.slice(i + 1)));
  }
}

/** Runs `work`, then `cleanup` whether it failed or not, and returns or throws the result of `work`. */
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

/** Runs `work`, and hands an error of it to `handle`, which throws it again or returns a result in its place. */
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

/** Yields to the event loop once. A message hop costs microseconds, a timer milliseconds; a microtask lets no signal in. */
export function hop(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}
