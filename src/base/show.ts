/**
 * Values in the messages of errors.
 *
 * @module
 */

import { describeValue } from "./describe_value.ts";
import { didYouMean } from "./did_you_mean.ts";

const SHOWN = 8;

/**
 * A value as an error message shows it: strings quoted, functions by name, objects by class name, arrays by their
 * first elements. Never throws, whatever the value does when it is looked at.
 */
export function show(value: unknown): string {
  try {
    return Array.isArray(value) ? showArray(value) : showOne(value);
  } catch {
    return typeof value; // a proxy, or a getter that throws
  }
}

function showArray(list: readonly unknown[]): string {
  const rest = list.length > SHOWN ? [`… ${list.length} in all`] : [];
  return `[${[...list.slice(0, SHOWN).map(showOne), ...rest].join(", ")}]`;
}

function showOne(value: unknown): string {
  if (typeof value !== "function") return describeValue(value);
  return `${isClass(value) ? "class" : "function"} ${nameOf(value)}`.trimEnd();
}

/** The name of a function, or nothing: a class may have a static `name` that is no text. */
export function nameOf(f: unknown): string {
  const { name } = f as { readonly name: unknown };
  return typeof name === "string" ? name : "";
}

/** Is the value a class? A frozen function has a prototype as fixed as a class has, hence the look at its source. */
export function isClass(value: unknown): boolean {
  return typeof value === "function" &&
    Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false &&
    /^class\b|\[native code\]/.test(Function.prototype.toString.call(value));
}

/** The message of an error, with the nearest of some candidates where a name is wrong. */
export function complaint(
  action: string,
  requirement: string,
  value: unknown,
  candidates: Iterable<string> = [],
): string {
  const near = typeof value === "string" ? didYouMean(value, candidates) : "";
  return `Cannot ${action} as ${requirement}: current value is ${show(value)}${near}`;
}
