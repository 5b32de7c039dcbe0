/**
 * Checks of options and arguments of callers in JavaScript, whose names and types no compiler has checked.
 *
 * @module
 */

import { isObject, isPlain, type Members } from "./object.ts";
import { complaint } from "./show.ts";

/** Throws a TypeError if `options` is not an object, or has a member that is not in `known`. */
export function checkOptions(
  action: string,
  options: unknown,
  known: readonly string[],
): void {
  if (!isObject(options)) {
    throw new TypeError(complaint(action, "its options must be an object", options));
  }
  checkKeys(action, "its options", options, known);
}

/** Throws a TypeError if an own member of `given` is not in `known`. Instances of classes are checked, too. */
export function checkKeys(
  action: string,
  what: string,
  given: object,
  known: readonly string[],
): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(
    complaint(action, `${what} must be among ${known.join(", ")}`, unknown, known),
  );
}

/**
 * Throws a TypeError if an object literal has a member that is not in `known`. Instances of classes may have any
 * members.
 */
export function checkLiteralKeys(
  action: string,
  what: string,
  given: object,
  known: readonly string[],
): void {
  if (isPlain(given)) checkKeys(action, what, given, known);
}

/** Throws a TypeError if `isFine` returns false for a value. */
export function checkKind(
  action: string,
  name: string,
  value: unknown,
  requirement: string,
  isFine: (value: unknown) => boolean,
): void {
  if (isFine(value)) return;
  throw new TypeError(complaint(action, `${name} must be ${requirement}`, value));
}

/** Throws a TypeError if an option is given (not `undefined`) and `isFine` returns false for it. */
export function checkOption(
  action: string,
  options: object,
  member: string,
  requirement: string,
  isFine: (value: unknown) => boolean,
): void {
  const value = (options as Members)[member];
  if (value !== undefined) checkKind(action, member, value, requirement, isFine);
}

/** Throws a RangeError if a value is not one of `choices`. */
export function checkOneOf(
  action: string,
  name: string,
  value: unknown,
  choices: readonly unknown[],
): void {
  if (choices.includes(value)) return;
  const words = choices.filter((choice) => typeof choice === "string");
  const list = choices.map((choice) => JSON.stringify(choice)).join(" or ");
  throw new RangeError(complaint(action, `${name} must be ${list}`, value, words));
}
