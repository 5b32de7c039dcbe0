import type { Shape } from "../codec/value_info.ts";

/**
 * Returns an inferred shape as the declared shape of a file. Lengths with a name that the inference has created
 * become unnamed.
 */
export function declaredShape(shape: readonly (number | string)[]): Shape {
  return shape.map((length) =>
    typeof length === "string" && length.includes("?") ? undefined : length
  );
}
