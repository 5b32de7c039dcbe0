/**
 * Reading of JSON files that contain an object, and checks of its members.
 *
 * @module
 */

import { show } from "../base/show.ts";
import { isCount } from "../base/check_number.ts";
import { isObject, type Members } from "../base/object.ts";

/**
 * Parses a JSON text that contains an object. If `schema` is given, the object must have a version number `schema` of
 * at most this value.
 *
 * @throws {SyntaxError} if the text is not JSON or not an object, or if its version is not a positive integer
 * @throws {RangeError} if its version is newer than `schema`
 */
export function parseObject(
  text: string,
  { name, schema }: { readonly name: string; readonly schema?: number },
): Members {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`Cannot read ${name}: it is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) {
    throw new SyntaxError(
      `Cannot read ${name}: it must be an object; got ${show(value)}`,
    );
  }
  if (schema === undefined) return value;
  const own = checked(
    { name, of: value },
    "schema",
    "a positive integer",
    isSchema,
  ) as number;
  if (own <= schema) return value;
  throw new RangeError(
    `Cannot read ${name}: its schema must be at most ${schema}, the newest supported; got ${own}. Update Hooke`,
  );
}

/**
 * Returns a member of an object if `isFine` accepts it. Otherwise throws a SyntaxError with the member's name and the
 * requirement.
 */
export function checked(
  { name, of }: { readonly name: string; readonly of: Members },
  key: string,
  requirement: string,
  isFine: (value: unknown) => boolean,
): unknown {
  const value = of[key];
  if (isFine(value)) return value;
  throw new SyntaxError(
    `Cannot read ${name}: ${key} must be ${requirement}; got ${show(value)}`,
  );
}

/** Returns whether a value is a time in ISO 8601. */
export function isIsoTime(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) &&
    !Number.isNaN(Date.parse(value));
}

function isSchema(value: unknown): boolean {
  return isCount(value) && Number(value) > 0;
}
