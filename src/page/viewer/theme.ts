/**
 * Colors of the page around a view.
 *
 * @module
 */

import type { Bytes } from "./color_map.ts";
import type { PictureColors } from "./renderer.ts";

/** Colors of a picture that the page chooses. */
export interface ViewColors extends PictureColors {
  /** Color of the edges of the cell, from 0 to 255. */
  readonly edges: Bytes;
}

/** Colors on a light page. */
export const LIGHT: ViewColors = {
  background: [1, 1, 1],
  ring: [0.85, 0.33, 0],
  edges: [120, 126, 136],
};
/** Colors on a dark page. */
export const DARK: ViewColors = {
  background: [0.086, 0.094, 0.114],
  ring: [1, 0.62, 0.2],
  edges: [130, 138, 150],
};

/** Returns the colors for an element, from its background color. */
export function colorsOn(element: Element): ViewColors {
  const numbers = getComputedStyle(element).backgroundColor.match(/^rgb\((\d+), (\d+), (\d+)\)$/);
  if (numbers === null) return LIGHT;
  const [red, green, blue] = numbers.slice(1).map((text) => Number(text) / 255) as [
    number,
    number,
    number,
  ];
  const isDark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5;
  return { ...(isDark ? DARK : LIGHT), background: [red, green, blue] };
}

/** Calls a function when the colors of the page may have changed, until the signal aborts. */
export function onThemeChange(changed: () => void, signal: AbortSignal): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed, { signal });
  // Pages with a switch for dark colors set a class or an attribute of their root.
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true });
  signal.addEventListener("abort", () => observer.disconnect(), { once: true });
}
