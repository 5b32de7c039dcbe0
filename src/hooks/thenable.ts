/** Is the value something to be awaited? */
export function isThenable(x: unknown): x is PromiseLike<unknown> {
  return typeof x === "object" && x !== null &&
    typeof (x as { then?: unknown }).then === "function";
}
