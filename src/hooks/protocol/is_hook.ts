/**
 * Is it a hook?
 *
 * @module
 */

import { assertProtocol } from "./protocol.ts";
import { assertTableHook, isTableHook } from "./table.ts";

/** Would an engine with the right kinds take the value as a hook class or a table? Never throws. */
export function isWellFormed(value: unknown): boolean {
  try {
    if (isTableHook(value)) assertTableHook(value);
    else assertProtocol(value as object);
    return true;
  } catch {
    return false; // whatever it was: a getter of the value may throw anything
  }
}
