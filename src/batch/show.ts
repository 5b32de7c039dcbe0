/**
 * Values in the messages of errors.
 *
 * @module
 */

const SHOWN = 4;

/** A value as an error message shows it: texts quoted, long lists cut short. Never throws. */
export function show(value: unknown): string {
  try {
    return isList(value) ? showList(value) : showOne(value);
  } catch {
    return typeof value;
  }
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || ArrayBuffer.isView(value) && "length" in value;
}

function showList(list: ArrayLike<unknown>): string {
  const first = Array.from({ length: Math.min(list.length, SHOWN) }, (_, i) => showOne(list[i]));
  return list.length > SHOWN
    ? `[${first.join(", ")}, … ${list.length} in all]`
    : `[${first.join(", ")}]`;
}

function showOne(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (typeof value === "function") return "a function";
  if (isList(value)) return `[… ${value.length} in all]`;
  if (typeof value !== "object" || value === null) return String(value);
  const kind = value.constructor?.name ?? "object";
  return `${/^[AEIOU]/i.test(kind) ? "an" : "a"} ${kind}`;
}

/** `show` for three numbers of a list. */
export function showRow(values: ArrayLike<number>, row: number, width: number): string {
  if (width === 1) return String(values[row]);
  const shown = Array.from({ length: width }, (_, i) => values[row * width + i]);
  return `[${shown.join(", ")}]`;
}
