/**
 * The legend: elements, or the color map of a field with its unit.
 *
 * @module
 */

import type { ViewerFrame } from "../../protocol.ts";
import { type ColorScale, elementColor, symbolOf } from "../color_by.ts";
import { colorMapOf } from "../color_map.ts";
import { html, svg } from "./dom.ts";

/** Number of colors in the bar of a color map. */
const STOPS = 12;

/** Returns the contents of the legend. */
export function legendOf(frame: ViewerFrame, scale: ColorScale | undefined): Node[] {
  return scale === undefined ? elementRows(frame) : [scaleBar(scale)];
}

function elementRows({ numbers }: ViewerFrame): Node[] {
  const different = [...new Set(numbers)].sort((a, b) => a - b).slice(0, 12);
  return different.map((number) => {
    const dot = svg("circle", { cx: "6", cy: "6", r: "5.5", fill: css(elementColor(number)) });
    return html(
      "span",
      { class: "element" },
      svg("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, dot),
      symbolOf(number),
    );
  });
}

function scaleBar({ field, unit, least, most, isDiverging, isLength }: ColorScale): Node {
  const map = colorMapOf(isDiverging);
  const rects = Array.from({ length: STOPS }, (_, i) =>
    svg("rect", {
      x: String(i * 10),
      width: "10.5",
      height: "10",
      fill: css(map(i / (STOPS - 1))),
    }));
  const name = `${isLength ? `|${field}|` : field}${unit === "" ? "" : ` (${unit})`}`;
  return html(
    "div",
    { class: "scale" },
    html("span", { class: "name" }, name),
    svg("svg", {
      viewBox: `0 0 ${10 * STOPS} 10`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    }, ...rects),
    html(
      "span",
      { class: "ends" },
      html("span", {}, shortNumber(least)),
      html("span", {}, shortNumber(most)),
    ),
  );
}

/** Returns a number with three digits. */
export function shortNumber(value: number): string {
  return value === 0 ? "0" : String(Number(value.toPrecision(3)));
}

function css([red, green, blue]: readonly [number, number, number]): string {
  return `rgb(${red} ${green} ${blue})`;
}
