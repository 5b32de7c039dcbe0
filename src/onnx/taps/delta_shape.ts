import type { Length, Shape } from "../codec/value_info.ts";

/**
 * Throws a RangeError if a tensor of a shape cannot be broadcast to the target. Does nothing if one of the shapes is
 * unknown.
 */
export function refuseOtherShape(
  action: string,
  shape: Shape | undefined,
  target: Shape | undefined,
): void {
  if (shape === undefined || target === undefined) return;
  const start = target.length - shape.length;
  if (start >= 0 && shape.every((length, i) => mayFit(length, target[start + i]))) return;
  throw new RangeError(
    `Cannot ${action}: the shape of the input must broadcast to ${show(target)}; ` +
      `got ${show(shape)}`,
  );
}

/**
 * Returns whether a length may be broadcast to a target length. Named lengths may, because their values are known
 * only at run time.
 */
function mayFit(length: Length, target: Length): boolean {
  return length === 1 || typeof length !== "number" || typeof target !== "number" ||
    length === target;
}

function show(shape: Shape): string {
  return `[${shape.map((length) => length ?? "?").join(", ")}]`;
}
