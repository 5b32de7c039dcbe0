/**
 * Elements of the page. Texts are always set as text: names and messages of runs come from files and are never markup.
 *
 * @module
 */

/** Properties of an element: listeners by `on…`, properties that exist as such, and attributes otherwise. */
export type Properties = Readonly<
  Record<string, string | number | boolean | undefined | ((event: never) => void)>
>;

/** Child of an element. Undefined children are left out. */
export type Child = Node | string | undefined;

/** Makes an element. A class goes into the name after dots: `h("p.note", {}, "text")`. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name | `${Name}.${string}`,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const [tag, ...classes] = name.split(".") as [Name, ...string[]];
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties)) setProperty(element, key, value);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

function setProperty(element: HTMLElement, key: string, value: Properties[string]): void {
  if (value === undefined || value === false) return;
  if (typeof value === "function") {
    element.addEventListener(key.slice(2), value as unknown as EventListener);
  } else if (value === true) element.setAttribute(key, "");
  else element.setAttribute(key, String(value));
}

/** Sets the text of an element if it differs, so that screen readers and layout are left alone otherwise. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows or hides an element. */
export function setShown(element: HTMLElement, isShown: boolean): void {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** Makes a section with a heading, folded or open. Its state is kept in this browser. */
export function panel(title: string, id: string, isOpen = true): {
  readonly root: HTMLDetailsElement;
  readonly body: HTMLElement;
  readonly note: HTMLElement;
} {
  const note = h("span.note"), body = h("div.panel-body");
  const key = `hooke.panel.${id}`, stored = read(key);
  const root = h(
    "details.panel",
    { id: `panel-${id}`, open: stored === undefined ? isOpen : stored === "open" },
    h("summary", {}, h("h2", {}, title), note),
    body,
  );
  root.addEventListener("toggle", () => store(key, root.open ? "open" : "closed"));
  return { root, body, note };
}

/** Reads a value that this browser keeps for the page; undefined without one, or if the browser keeps nothing. */
export function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined; // Storage can be forbidden.
  }
}

/** Keeps a value for the page in this browser, if it allows that. */
export function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage can be forbidden. The page works without it.
  }
}
