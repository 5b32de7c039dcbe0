/**
 * The error for a field that is not there.
 *
 * @module
 */

import { BUILT_IN } from "./fields.ts";
import { show } from "../../base/show.ts";

/** The error for a field that a system or batch does not have. */
export function missing(
  name: unknown,
  names: Iterable<string>,
  where: "batch" | "system",
): TypeError {
  const known = [...names].join(", ");
  return new TypeError(
    `Cannot get ${
      show(name)
    } as the ${where} must have a field of that name: current fields are ${known}${
      where === "batch" ? remedy(name) : ""
    }`,
  );
}

function remedy(name: unknown): string {
  if (typeof name !== "string" || !BUILT_IN.has(name)) return "";
  const ensured = `batch.ensure("${name}") adds it`;
  return COMPUTED.has(name) ? `; await a run of an engine first, or ${ensured}` : `; ${ensured}`;
}

/** What a run leaves in every batch. */
const COMPUTED: ReadonlySet<string> = new Set(["velocities", "forces", "energy", "stepsDone"]);
