/**
 * Checks of custom integrators.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { Integrator, OpenIntegrator } from "./integrator.ts";

/** Throws a TypeError if a value is not an integrator. */
export function checkIntegrator(integrator: unknown): asserts integrator is Integrator {
  if (
    isObject(integrator) && typeof integrator.name === "string" &&
    typeof integrator.open === "function"
  ) return;
  throw new TypeError(
    complaint(
      "make an engine",
      "its integrator must be an object with a name and a function open(state)",
      integrator,
    ),
  );
}

/**
 * Checks the result of `open()` of an integrator, and returns it. Throws a TypeError if `pre` or `post` is not an
 * array.
 */
export function checkedOpen(name: string, opened: OpenIntegrator): OpenIntegrator {
  const given: unknown = opened;
  const list = isObject(given)
    ? (["pre", "post"] as const).find((part) => !Array.isArray(given[part]))
    : "pre";
  if (list === undefined) return opened;
  throw new TypeError(
    complaint(
      `run ${name}`,
      `open() of its integrator must return { pre, post }, two arrays of kernel calls; ${list} must be an array`,
      isObject(given) ? given[list] : given,
    ),
  );
}
