import type { Shape } from "../codec/value_info.ts";

/** A shape as a file has it: lengths that only inference has a name for are free, and have none. */
export function writtenShape(shape: readonly (number | string)[]): Shape {
  return shape.map((length) =>
    typeof length === "string" && length.includes("?") ? undefined : length
  );
}
