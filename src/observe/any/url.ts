/**
 * Addresses among options.
 *
 * @module
 */

import { checkType } from "./hook_options.ts";

/** Throws a TypeError for an option that is no address of the web. */
export function checkUrl(hook: string, options: object, member: string): void {
  checkType(hook, options, member, "an address that begins with http:// or https://", isWebUrl);
}

function isWebUrl(value: unknown): boolean {
  const text = value instanceof URL ? value.href : value;
  return typeof text === "string" && /^https?:\/\//.test(text) && URL.canParse(text);
}
