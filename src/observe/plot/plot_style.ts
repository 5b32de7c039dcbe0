/**
 * Colors of plots on light and dark pages.
 *
 * @module
 */

/** Colors on white that people with any kind of color vision can distinguish (M. Okabe, K. Ito, 2008). */
const ON_LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b0508a", "#b8860b", "#3a9ad9"];
/** Lighter shades of the colors in `ON_LIGHT`, for pages that are nearly black. */
const ON_DARK = ["#56b4e9", "#ff8c42", "#2fd0a0", "#e89ac7", "#e6c15a", "#9fd0ff"];

/** Number of colors. Further lines repeat the colors with dashes. */
export const PLOT_COLORS: number = ON_LIGHT.length;
/** Class of a plot, which limits its style to the plot within a page. */
export const PLOT_CLASS = "hooke-plot";

type Rule = readonly [selector: string, style: string];

const SHAPES: readonly Rule[] = [
  ["text", "font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif"],
  [".title", "font-size:15px;font-weight:600"],
  [".tick", "font-size:11.5px"],
  [".end", "text-anchor:end"],
  [".middle", "text-anchor:middle"],
  [".line", "fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round"],
  [".d1", "stroke-dasharray:6 4"],
  [".d2", "stroke-dasharray:2 4"],
];
const LIGHT: readonly Rule[] = [
  ["text", "fill:#333"],
  [".title", "fill:#111"],
  [".tick", "fill:#666"],
  [".page", "fill:#fff"],
  [".grid", "stroke:#e6e6e6"],
  [".axis", "stroke:#999"],
  ...colored(ON_LIGHT),
];
const DARK: readonly Rule[] = [
  ["text", "fill:#ddd"],
  [".title", "fill:#fff"],
  [".tick", "fill:#aaa"],
  [".page", "fill:#16181d"],
  [".grid", "stroke:#2c3038"],
  [".axis", "stroke:#777"],
  ...colored(ON_DARK),
];

/** Style sheet of a plot. */
export const PLOT_STYLE: string = written(SHAPES) + written(LIGHT) +
  `@media(prefers-color-scheme:dark){${written(DARK)}}`;

function colored(colors: readonly string[]): Rule[] {
  return colors.flatMap((color, i): Rule[] => [
    [`.line.c${i}`, `stroke:${color}`],
    [`.dot.c${i}`, `fill:${color}`],
  ]);
}

function written(rules: readonly Rule[]): string {
  return rules.map(([selector, style]) => `.${PLOT_CLASS} ${selector}{${style}}`).join("");
}
