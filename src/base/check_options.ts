/**
 * Checks of options, which callers without types misspell, forget or mistake.
 *
 * @module
 */

import { isObject, isPlain, type Members } from "./object.ts";
import { complaint } from "./show.ts";

/** Throws a TypeError if options are not an object, or have a member that is not known. */
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

/** Throws a TypeError for the first own member that is not known, of instances of classes too. */
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

/** Checks the members of an object literal. Instances of classes are not checked: they may have members of their own. */
export function checkLiteralKeys(
  action: string,
  what: string,
  given: object,
  known: readonly string[],
): void {
  if (isPlain(given)) checkKeys(action, what, given, known);
}

/** Throws a TypeError if a value is of the wrong kind. */
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

/** Throws a TypeError if an option is given and of the wrong kind. */
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

/** Throws a RangeError if a value is not one of these. */
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
