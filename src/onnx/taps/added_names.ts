/**
 * Names of nodes that taps and patches add to a graph. Patterns do not match them, so that a hook does not observe
 * the taps of other hooks.
 *
 * @module
 */

/** Returns the name of a node that observes a tensor, or of an intermediate value. */
export function tapName(tensor: string, part: string): string {
  return `tap:${tensor}${part === "" ? "" : `.${part}`}`;
}

/** Returns the name of a node that changes a tensor, or of an intermediate value. */
export function patchName(tensor: string, part: string): string {
  return `patch:${tensor}${part === "" ? "" : `.${part}`}`;
}

/** Returns whether a tap or a patch has made a name. */
export function isAddedName(name: string): boolean {
  return isTapName(name) || name.startsWith("patch:");
}

/** Returns whether a tap has made a name. */
export function isTapName(name: string): boolean {
  return name.startsWith("tap:");
}
