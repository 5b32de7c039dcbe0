/**
 * Formatting of values for error messages and `console.log`.
 *
 * @module
 */

import { didYouMean } from "./did_you_mean.ts";

/** Largest number of elements of a list that are shown. A cell has nine numbers. */
const SHOWN = 9;
/** Largest number of characters of a string that are shown. */
const LONGEST = 80;

/**
 * Returns a value as error messages show it: strings in quotes, functions by name, objects by class, lists by their
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

/** Returns a value as `show` does, except that a list is shown by its class and not by its elements. */
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

/** Returns the name of a function or class, or `""` if it is not a string: a class may have a static member `name`. */
export function nameOf(f: object): string {
  return nameOr(f, "");
}

/**
 * Returns whether a value is a class. Classes have a read-only prototype, but so do frozen functions, so the source
 * text is checked, too.
 */
export function isClass(value: unknown): boolean {
  return typeof value === "function" &&
    Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false &&
    /^class\b|\[native code\]/.test(Function.prototype.toString.call(value));
}

/**
 * Returns a short description of a value: the class name of an object, the name of a function, or a primitive itself.
 */
export function describeValue(x: unknown): string {
  if (typeof x === "string") return JSON.stringify(x);
  if (typeof x === "bigint") return `${x}n`;
  if (typeof x === "function") return nameOr(x, "function");
  if (typeof x !== "object" || x === null) return String(x);
  return nameOr(x.constructor ?? {}, "object");
}

/**
 * Returns the name of a function or class. Returns `otherwise` if the name is empty or not a string, because a static
 * member `name` may hide the name of a class.
 */
export function nameOr(f: object, otherwise: string): string {
  const name: unknown = (f as { readonly name?: unknown }).name;
  return typeof name === "string" && name !== "" ? name : otherwise;
}

/**
 * Returns an error message: the action, the requirement and the value. If the value is a misspelled name, the message
 * suggests the nearest of the candidates.
 */
export function complaint(
  action: string,
  requirement: string,
  value: unknown,
  candidates: Iterable<string> = [],
): string {
  const near = typeof value === "string" ? didYouMean(value, candidates) : "";
  return `Cannot ${action}: ${requirement}; got ${show(value)}${near}`;
}

/**
 * Returns the message of an error without its leading `Cannot …: `, for a message that names another action and
 * quotes this one as the reason.
 */
export function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.replace(/^Cannot .*?: /s, "");
}

/** Makes `console.log` print the result of `toString` for instances of a class, in Deno and Node. */
export function inspected(prototype: { toString(): string }): void {
  Object.defineProperty(prototype, Symbol.for("nodejs.util.inspect.custom"), {
    value(this: { toString(): string }): string {
      return this.toString();
    },
  });
}
