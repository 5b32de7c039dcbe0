/**
 * Names of nodes that taps and patches add to a graph. Patterns do not match them, so that a hook does not observe
 * the taps of other hooks.
 *
 * @module
 */

/**
 * Returns the name of a value that a tap adds for a tensor: `tap:` and the tensor's name, followed by a dot and
 * `part` unless `part` is empty.
 */
export function tapName(tensor: string, part: string): string {
  return `tap:${tensor}${part === "" ? "" : `.${part}`}`;
}

/**
 * Returns the name of a value that a patch adds for a tensor: `patch:` and the tensor's name, followed by a dot and
 * `part` unless `part` is empty.
 */
export function patchName(tensor: string, part: string): string {
  return `patch:${tensor}${part === "" ? "" : `.${part}`}`;
}

/** Returns whether a name belongs to a value that a tap or a patch has added. */
export function isAddedName(name: string): boolean {
  return isTapName(name) || name.startsWith("patch:");
}

/** Returns whether a name belongs to a value that a tap has added. */
export function isTapName(name: string): boolean {
  return name.startsWith("tap:");
}
