/** Is the value something to be awaited? */
export function isThenable(x: unknown): x is PromiseLike<unknown> {
  return typeof x === "object" && x !== null &&
    typeof (x as { then?: unknown }).then === "function";
}

/** Goes on at once, or when what is under way is done. */
export function after<V, W>(
  waiting: V | PromiseLike<V>,
  next: (value: V) => W | PromiseLike<W>,
): W | PromiseLike<W> {
  return isThenable(waiting) ? waiting.then(next) : next(waiting as V);
}
