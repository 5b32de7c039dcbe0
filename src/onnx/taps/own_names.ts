/**
 * Names of what taps and patches add to a graph. Patterns do not match them, so that one hook's taps are not what
 * the next hook observes.
 *
 * @module
 */

/** The name of something that observes a tensor, or of a step on the way. */
export function tapName(tensor: string, part: string): string {
  return `tap:${tensor}${part === "" ? "" : `.${part}`}`;
}

/** The name of something that changes a tensor, or of a step on the way. */
export function patchName(tensor: string, part: string): string {
  return `patch:${tensor}${part === "" ? "" : `.${part}`}`;
}

/** Was it named here? */
export function isOwnName(name: string): boolean {
  return isTapName(name) || name.startsWith("patch:");
}

/** Is it something that observes a tensor? */
export function isTapName(name: string): boolean {
  return name.startsWith("tap:");
}
