import { partsOf } from "../engine/engine_parts.ts";
import { isConvergenceHook } from "./known_hooks.ts";

/**
 * Returns whether systems of an engine can converge: an enabled hook is a `ConvergenceHook`, or the engine has stages
 * or is a stage. Returns `true` for engines of other packages.
 */
export function canConverge(engine: object): boolean {
  const parts = partsOf(engine);
  return parts === undefined || parts.part !== undefined || parts.engines.length > 0 ||
    parts.hooks.enabled().some(isConvergenceHook);
}
