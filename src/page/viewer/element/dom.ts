/**
 * Creation of elements. Styles are in one sheet, because pages with a strict policy allow no others.
 *
 * @module
 */

/** Attributes of an element. Attributes that are undefined are left out. */
export type Attributes = Readonly<Record<string, string | undefined>>;

/** Creates an element of HTML. */
export function html<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

/** Creates an element of SVG. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value);
  }
}

/** Creates a button with a picture, which is a path in a square of 16 units. */
export function iconButton(label: string, path: string, onClick: () => void): HTMLButtonElement {
  const icon = svg(
    "svg",
    { viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", { d: path }),
  );
  const button = html("button", { type: "button", "aria-label": label, title: label }, icon);
  button.addEventListener("click", onClick);
  return button;
}

/** Offers a file for download. */
export function saveFile(content: Blob, name: string): void {
  const href = URL.createObjectURL(content);
  html("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000); // browsers read it after the click
}
