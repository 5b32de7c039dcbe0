/**
 * Objects in files of JSON, checked key by key.
 *
 * @module
 */

import { show } from "../base/show.ts";
import { isCount } from "../base/check_number.ts";
import { isObject, type Members } from "../base/object.ts";

/**
 * The object in a text.
 *
 * @throws {SyntaxError} for what is none, and for a schema that is no whole number
 * @throws {RangeError} for a newer schema
 */
export function parseObject(
  text: string,
  { name, schema }: { readonly name: string; readonly schema?: number },
): Members {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`Cannot read ${name}: it must be JSON: ${(error as Error).message}`);
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
    "a whole number from 1 on",
    isSchema,
  ) as number;
  if (own <= schema) return value;
  throw new RangeError(
    `Cannot read ${name}: its schema must be at most ${schema}, the newest known here; got ${own}`,
  );
}

/** A member of an object. Throws a SyntaxError that names it where it is not what it must be. */
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

/** Is the value a time as ISO 8601 writes it? */
export function isIsoTime(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) &&
    !Number.isNaN(Date.parse(value));
}

function isSchema(value: unknown): boolean {
  return isCount(value) && Number(value) > 0;
}
