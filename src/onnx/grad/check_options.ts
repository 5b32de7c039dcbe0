import { didYouMean } from "../../base/did_you_mean.ts";
import { assertKnownOptions } from "../../base/known_options.ts";
import type { GradientOptions } from "./gradient_options.ts";

/** All options, also those that may be left out. */
const KNOWN: Readonly<Record<keyof GradientOptions, true>> = {
  of: true,
  wrt: true,
  cotangent: true,
  unused: true,
  rules: true,
};

/** Throws a TypeError or a RangeError for options that callers without types misspell, forget or mistake. */
export function checkOptions(options: GradientOptions): void {
  assertKnownOptions("differentiate a graph", options, Object.keys(KNOWN));
  const { of, wrt, cotangent, unused = "error", rules } = options;
  if (typeof of !== "string" && !isNames(of)) {
    throw refused(TypeError, "of must be a name or a list of names", show(of));
  }
  const names = typeof wrt === "object" && wrt !== null && !Array.isArray(wrt)
    ? Object.values(wrt)
    : wrt;
  if (!isNames(names)) {
    throw refused(
      TypeError,
      "wrt must be a list of names, or names of gradients by name",
      show(wrt),
    );
  }
  if (cotangent !== undefined && typeof cotangent !== "string") {
    throw refused(TypeError, "cotangent must be a name", show(cotangent));
  }
  if (rules !== undefined && typeof rules !== "function") {
    throw refused(TypeError, "rules must be made of gradientRules by on", show(rules));
  }
  if (unused !== "error" && unused !== "zeros") {
    const value = show(unused) + didYouMean(String(unused), ["error", "zeros"]);
    throw refused(RangeError, 'unused must be "error" or "zeros"', value);
  }
}

function isNames(names: unknown): boolean {
  return Array.isArray(names) && names.every((name) => typeof name === "string");
}

/** A value as errors show it. */
function show(value: unknown): string {
  if (typeof value === "function") return "a function";
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}

function refused(
  kind: typeof TypeError | typeof RangeError,
  requirement: string,
  value: string,
): Error {
  return new kind(`Cannot differentiate a graph as ${requirement}: current value is ${value}`);
}
