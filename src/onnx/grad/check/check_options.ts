import { checkKind, checkOneOf, checkOption, checkOptions } from "../../../base/check_options.ts";
import { isObject } from "../../../base/object.ts";
import type { GradientOptions } from "../gradient_options.ts";

const ACTION = "differentiate a graph";

/** Names of all options, including optional ones. */
const KNOWN: Readonly<Record<keyof GradientOptions, true>> = {
  of: true,
  wrt: true,
  cotangent: true,
  unused: true,
  rules: true,
};

/**
 * Throws a TypeError or a RangeError if options are misspelled, missing or invalid. TypeScript does not check all
 * callers.
 */
export function checkGradientOptions(options: GradientOptions): void {
  checkOptions(ACTION, options, Object.keys(KNOWN));
  const { of, wrt, unused = "error" } = options;
  checkKind(ACTION, "of", of, "a name or a list of names", (x) => isName(x) || isNames(x));
  const names = isObject(wrt) ? Object.values(wrt) : wrt;
  checkKind(
    ACTION,
    "wrt",
    wrt,
    "a list of names, or an object from names to names of gradients",
    () => isNames(names),
  );
  checkOption(ACTION, options, "cotangent", "a name", isName);
  checkOption(
    ACTION,
    options,
    "rules",
    "gradientRules, or rules that gradientRules.on returned",
    isFunction,
  );
  checkOneOf(ACTION, "unused", unused, ["error", "zeros"]);
}

function isName(x: unknown): boolean {
  return typeof x === "string";
}

function isFunction(x: unknown): boolean {
  return typeof x === "function";
}

function isNames(names: unknown): boolean {
  return Array.isArray(names) && names.every(isName);
}
