/**
 * Limit of the nesting of data. Functions that process nested data are recursive, and deeper data would overflow the
 * stack.
 *
 * @module
 */

/** Largest depth to which lists and objects may be nested. */
export const DEEPEST = 1000;

const QUOTE = 34, BACKSLASH = 92;

/** Returns whether the lists and objects of a JSON text are nested at most {@linkcode DEEPEST} deep. */
export function isShallow(text: string): boolean {
  let depth = 0, isText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isText) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === 91 || code === 123) { // [ or {
      if (++depth > DEEPEST) return false;
    } else if (code === 93 || code === 125) depth--; // ] or }
  }
  return true;
}
