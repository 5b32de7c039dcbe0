/**
 * What a scheme of one's own must be.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import type { Integrator, OpenIntegrator } from "./integrator.ts";

/** Throws a TypeError for what is no scheme. */
export function checkIntegrator(scheme: unknown): asserts scheme is Integrator {
  if (
    isObject(scheme) && typeof scheme.name === "string" && typeof scheme.open === "function"
  ) return;
  throw new TypeError(
    complaint(
      "make an engine",
      "its scheme must be an integrator, with a name and open(state)",
      scheme,
    ),
  );
}

/** What a scheme has opened; throws a TypeError where its kernels are not there. */
export function checkedOpen(name: string, opened: OpenIntegrator): OpenIntegrator {
  const given: unknown = opened;
  const list = isObject(given)
    ? (["pre", "post"] as const).find((part) => !Array.isArray(given[part]))
    : "pre";
  if (list === undefined) return opened;
  throw new TypeError(
    complaint(
      `run ${name}`,
      `open() of its scheme must answer with the kernels pre and post: ${list} must be an array of calls`,
      isObject(given) ? given[list] : given,
    ),
  );
}
