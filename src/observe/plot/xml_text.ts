/**
 * Escaping of text for SVG and HTML.
 *
 * @module
 */

const NAMES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for use within an element or an attribute. Characters that XML does not allow become U+FFFD. */
export function xmlText(content: string): string {
  // deno-lint-ignore no-control-regex -- no file of XML may have control characters
  return content.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"']/g, (letter) => NAMES[letter]!);
}
