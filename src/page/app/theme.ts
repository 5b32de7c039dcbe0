/**
 * Choice between the light and the dark theme.
 *
 * @module
 */

import { h, read, store } from "./element.ts";

const KEY = "hooke.theme";

/** Makes the button that changes the theme. Without a choice, the theme is that of the system. */
export function themeButton(): HTMLButtonElement {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = read(KEY);
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const button = h("button.icon", { type: "button" });
  const show = () => {
    const label = isDark() ? "Use the light theme" : "Use the dark theme";
    button.replaceChildren(h("span", { "aria-hidden": "true" }, isDark() ? "☀" : "☾"));
    button.setAttribute("aria-label", label);
    button.title = label;
    dispatchEvent(new Event("hooke-theme"));
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    store(KEY, root.dataset.theme);
    show();
  });
  dark.addEventListener("change", show);
  show();
  return button;
}

/** Calls a function whenever the theme has changed, and returns a function that ends this. */
export function onTheme(change: () => void): () => void {
  addEventListener("hooke-theme", change);
  return () => removeEventListener("hooke-theme", change);
}
