import type { Length, Shape } from "../codec/value_info.ts";

/** Throws a RangeError for a shape that makes another one larger by broadcasting, or does not fit it at all. */
export function refuseOtherShape(
  action: string,
  shape: Shape | undefined,
  target: Shape | undefined,
): void {
  if (shape === undefined || target === undefined) return;
  const start = target.length - shape.length;
  if (start >= 0 && shape.every((length, i) => mayFit(length, target[start + i]))) return;
  throw new RangeError(
    `Cannot ${action} as the shape of the input must fit ${show(target)} by broadcasting: ` +
      `current shape is ${show(shape)}`,
  );
}

/** Lengths by name may turn out to be right. */
function mayFit(length: Length, target: Length): boolean {
  return length === 1 || typeof length !== "number" || typeof target !== "number" ||
    length === target;
}

function show(shape: Shape): string {
  return `[${shape.map((length) => length ?? "?").join(", ")}]`;
}
