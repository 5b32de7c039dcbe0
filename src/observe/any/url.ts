/**
 * Checks of addresses in options.
 *
 * @module
 */

import { showKind } from "../../base/show.ts";
import { making } from "./hook_options.ts";

/**
 * Throws a TypeError if an option is given and is not an http or https address. The message does not show the value,
 * which may contain a secret.
 */
export function checkUrl(hook: string, options: object, member: string): void {
  const value: unknown = (options as Readonly<Record<string, unknown>>)[member];
  if (value === undefined || isWebUrl(value)) return;
  const current = typeof value === "string"
    ? `a string of ${value.length} characters`
    : showKind(value);
  throw new TypeError(
    `Cannot ${making(hook)}: ${member} must begin with http:// or https://; ` +
      `got ${current}`,
  );
}

function isWebUrl(value: unknown): boolean {
  const text = value instanceof URL ? value.href : value;
  return typeof text === "string" && /^https?:\/\//.test(text) && URL.canParse(text);
}
