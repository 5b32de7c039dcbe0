import type { Shape } from "../codec/value_info.ts";

/**
 * Converts an inferred shape to a shape for a file. Lengths that contain a fresh name of the inference become
 * unnamed.
 */
export function declaredShape(shape: readonly (number | string)[]): Shape {
  return shape.map((length) =>
    typeof length === "string" && length.includes("?") ? undefined : length
  );
}
