// Engines look here, not at the class: without such a hook, its code and kernels need not be loaded.
const KNOWN = new WeakSet<object>();

/** Notes a `ConvergenceHook`, when it is made. */
export function noteConvergenceHook(hook: object): void {
  KNOWN.add(hook);
}

/** Returns whether a hook is a `ConvergenceHook`. */
export function isConvergenceHook(hook: object): boolean {
  return KNOWN.has(hook);
}
