/**
 * Colours of plots, on light pages and on dark ones.
 *
 * @module
 */

/** Colours that people with any kind of colour vision tell apart (M. Okabe, K. Ito, 2008), on white. */
const ON_LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b0508a", "#b8860b", "#3a9ad9"];
/** The same, lighter, on near black. */
const ON_DARK = ["#56b4e9", "#ff8c42", "#2fd0a0", "#e89ac7", "#e6c15a", "#9fd0ff"];

/** How many there are. */
export const PLOT_COLOURS: number = ON_LIGHT.length;

/** The style of a plot. */
export const PLOT_STYLE: string = [
  "text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#333}",
  ".title{font-size:15px;font-weight:600;fill:#111}.tick{fill:#666;font-size:11.5px}",
  ".end{text-anchor:end}.middle{text-anchor:middle}",
  ".page{fill:#fff}.grid{stroke:#e6e6e6}.axis{stroke:#999}",
  ".line{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}",
  ".d1{stroke-dasharray:6 4}.d2{stroke-dasharray:2 4}",
  ...coloured(ON_LIGHT),
  "@media(prefers-color-scheme:dark){",
  "text{fill:#ddd}.title{fill:#fff}.tick{fill:#aaa}.page{fill:#16181d}",
  ".grid{stroke:#2c3038}.axis{stroke:#777}",
  ...coloured(ON_DARK),
  "}",
].join("");

function coloured(colours: readonly string[]): string[] {
  return colours.map((colour, i) => `.line.c${i}{stroke:${colour}}.dot.c${i}{fill:${colour}}`);
}
