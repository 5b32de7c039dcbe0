/**
 * Values of the attributes of `<hooke-viewer>`.
 *
 * @module
 */

import type { Look } from "../scene.ts";

/** Attributes whose changes the element follows. */
export const OBSERVED: readonly string[] = [
  "src",
  "frame",
  "color-by",
  "repeat",
  "bonds",
  "wrap",
  "axes",
  "controls",
  "speed",
];

/** Returns the look that the attributes `repeat`, `bonds` and `wrap` describe. */
export function lookOf(element: HTMLElement): Partial<Look> {
  const repeat = (element.getAttribute("repeat") ?? "1").trim().split(/[\s,x×]+/).map(Number);
  const [a, b = a, c = b] = repeat.map((n) => Number.isInteger(n) && n > 0 ? n : 1);
  return { repeat: [a!, b!, c!], bonds: isOn(element, "bonds"), wraps: isOn(element, "wrap") };
}

/** Returns whether an attribute is absent or does not say `off`. */
export function isOn(element: HTMLElement, name: string): boolean {
  return !["off", "false", "none"].includes(element.getAttribute(name) ?? "on");
}

/** Returns frames per second of a text; 12 if it is not a number from 0 to 240. */
export function speedOf(text: string): number {
  const speed = Number(text);
  return speed > 0 && speed <= 240 ? speed : 12;
}

/** Returns the text between the tags of an element, once the browser has read it. */
export async function textOf(element: HTMLElement): Promise<string> {
  if (document.readyState === "loading") {
    const { promise, resolve } = Promise.withResolvers<Event>();
    document.addEventListener("DOMContentLoaded", resolve, { once: true });
    await promise;
  }
  return element.textContent?.trim() ?? "";
}
