/**
 * Formatting of values for error messages and `console.log`.
 *
 * @module
 */

import { didYouMean } from "./did_you_mean.ts";

/** The number of elements of a list that are shown: enough for a cell. */
const SHOWN = 9;
/** The number of characters of a string that are shown. */
const LONGEST = 80;

/**
 * Returns a value as an error message shows it: strings quoted, functions by name, objects by class, lists by their
 * first elements. Never throws, even if a getter or a proxy does.
 */
export function show(value: unknown): string {
  try {
    return isList(value) ? showList(value) : showOne(value);
  } catch {
    return typeof value; // a proxy, or a getter that throws
  }
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || ArrayBuffer.isView(value) && "length" in value;
}

function showList(list: ArrayLike<unknown>): string {
  const shown = Array.from({ length: Math.min(list.length, SHOWN) }, (_, i) => showOne(list[i]));
  if (list.length > SHOWN) shown.push(`… ${list.length} in all`);
  return `[${shown.join(", ")}]`;
}

function showOne(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
  }
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") {
    return `${isClass(value) ? "class" : "function"} ${nameOf(value)}`.trimEnd();
  }
  if (isList(value)) return `[… ${value.length} in all]`;
  if (typeof value !== "object" || value === null) return String(value);
  return showClass(value);
}

/** Returns a value as `show` does, but lists by class, not by their elements. */
export function showKind(value: unknown): string {
  return typeof value === "object" && value !== null ? showClass(value) : show(value);
}

function showClass(value: object): string {
  return withArticle(nameOr(value.constructor ?? {}, "object"));
}

/** Returns a name with "a" or "an" before it. */
export function withArticle(name: string): string {
  return `${/^[AEIOU]/i.test(name) ? "an" : "a"} ${name}`;
}

/** Returns the name of a function, or "": a class may have a static `name` that is not a string. */
export function nameOf(f: object): string {
  return nameOr(f, "");
}

/**
 * Returns whether a value is a class. The prototype of a frozen function is read-only, as that of a class is, so the
 * source text is compared, too.
 */
export function isClass(value: unknown): boolean {
  return typeof value === "function" &&
    Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false &&
    /^class\b|\[native code\]/.test(Function.prototype.toString.call(value));
}

/** Returns a value in a few characters: the class of an object, a primitive itself. */
export function describeValue(x: unknown): string {
  if (typeof x === "string") return JSON.stringify(x);
  if (typeof x === "bigint") return `${x}n`;
  if (typeof x === "function") return nameOr(x, "function");
  if (typeof x !== "object" || x === null) return String(x);
  return nameOr(x.constructor ?? {}, "object");
}

/**
 * Returns the name of a function or class, or `otherwise` if it is empty: a static member called `name` may hide the
 * name of a class.
 */
export function nameOr(f: object, otherwise: string): string {
  const name: unknown = (f as { readonly name?: unknown }).name;
  return typeof name === "string" && name !== "" ? name : otherwise;
}

/** Returns the message of an error, with the nearest of some candidates if a name is wrong. */
export function complaint(
  action: string,
  requirement: string,
  value: unknown,
  candidates: Iterable<string> = [],
): string {
  const near = typeof value === "string" ? didYouMean(value, candidates) : "";
  return `Cannot ${action}: ${requirement}; got ${show(value)}${near}`;
}

/** Makes `console.log` show the result of `toString`, in Deno and Node. */
export function inspected(prototype: { toString(): string }): void {
  Object.defineProperty(prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: { toString(): string }): string {
      return this.toString();
    },
  });
}
