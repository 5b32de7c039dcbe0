// Engines look here and not at the class, so that the code and kernels of `ConvergenceHook` are loaded only if one
// exists.
const KNOWN = new WeakSet<object>();

/** Records a new `ConvergenceHook`. */
export function noteConvergenceHook(hook: object): void {
  KNOWN.add(hook);
}

/** Returns whether a hook is a `ConvergenceHook`. */
export function isConvergenceHook(hook: object): boolean {
  return KNOWN.has(hook);
}
