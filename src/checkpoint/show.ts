/**
 * Values in the messages of errors.
 *
 * @module
 */

/** A value that cannot be saved, as its error shows it. */
export function show(value: unknown): string {
  if (typeof value === "function") return `function ${value.name}`.trimEnd();
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? `an object of class ${name}` : "an object";
}

/** Bytes in hexadecimal. */
export function showBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
