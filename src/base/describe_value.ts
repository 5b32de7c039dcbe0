/** Returns a value in a few characters: the class of an object, a primitive itself. */
export function describeValue(x: unknown): string {
  if (typeof x === "string") return JSON.stringify(x);
  if (typeof x === "bigint") return `${x}n`;
  if (typeof x === "function") return nameOr(x, "function");
  if (typeof x !== "object" || x === null) return String(x);
  return nameOr(x.constructor ?? {}, "object");
}

/**
 * Returns the name of a function or class, or `otherwise` if it has none: a static member called `name` may hide the
 * name of a class.
 */
export function nameOr(f: object, otherwise: string): string {
  const name: unknown = (f as { readonly name?: unknown }).name;
  return typeof name === "string" && name !== "" ? name : otherwise;
}
