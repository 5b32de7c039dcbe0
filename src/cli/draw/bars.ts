/**
 * Histograms as pictures.
 *
 * @module
 */

import { axisFor } from "../../observe/plot/plot_axis.ts";
import { PLOT_CLASS, PLOT_STYLE } from "../../observe/plot/plot_style.ts";
import { xmlText } from "../../observe/plot/xml_text.ts";
import { binsOf } from "../picture.ts";

/** Text of a histogram. */
export interface BarsOptions {
  readonly title: string;
  /** Label of the values. */
  readonly label: string;
  readonly width?: number;
  readonly height?: number;
}

/** Largest number of bars. */
const BARS = 20;

/** Returns an SVG file with a histogram of integers. Its description has the numbers, for screen readers. */
export function barsSvg(
  values: readonly number[],
  { title, label, width = 720, height = 300 }: BarsOptions,
): string {
  const bins = binsOf(values, BARS);
  const up = axisFor([0, ...bins.map(({ count }) => count)], {
    scale: "linear",
    ticks: Math.max(2, Math.round(height / 70)),
  });
  const whole = up.ticks.filter(Number.isInteger);
  const box = { left: 54, right: width - 18, top: 40, bottom: height - 46 };
  const each = (box.right - box.left) / bins.length;
  const heightOf = (count: number) => up.position(count) * (box.bottom - box.top);
  const names = bins.map(({ from, to }) => from === to ? `${from}` : `${from}–${to}`);
  const every = Math.ceil(names.reduce((most, { length }) => Math.max(most, length), 1) * 8 / each);
  const parts = [
    `<style>${PLOT_STYLE}.${PLOT_CLASS} .bar{stroke:none}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    text(title, box.left, 24, "title"),
    ...whole.map((tick) => {
      const y = round(box.bottom - heightOf(tick));
      return `<path class="grid" d="M${box.left} ${y}H${box.right}"/>` +
        text(up.labels[up.ticks.indexOf(tick)]!, box.left - 8, y + 4, "tick end");
    }),
    ...bins.map(({ count }, i) => {
      const x = round(box.left + each * (i + 0.1)), high = round(heightOf(count));
      return `<rect class="dot c0" x="${x}" y="${round(box.bottom - high)}" ` +
        `width="${round(0.8 * each)}" height="${high}"><title>${
          names[i]
        }: ${count}</title></rect>` +
        (i % every === 0
          ? text(names[i]!, round(box.left + each * (i + 0.5)), box.bottom + 17, "tick middle")
          : "");
    }),
    `<path class="axis" d="M${box.left} ${box.bottom}H${box.right}"/>`,
    text(label, round((box.left + box.right) / 2), box.bottom + 36, "tick middle"),
  ];
  const spoken = `${title}: ${bins.map(({ count }, i) => `${names[i]}: ${count}`).join(", ")}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="${PLOT_CLASS}" viewBox="0 0 ${width} ${height}" width="${width}" ` +
    `height="${height}" role="img" aria-label="${xmlText(spoken)}">\n${parts.join("\n")}\n</svg>\n`;
}

function text(content: string, x: number, y: number, style: string): string {
  return `<text class="${style}" x="${x}" y="${y}">${xmlText(content)}</text>`;
}

function round(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}
