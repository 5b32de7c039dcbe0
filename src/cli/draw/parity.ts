/**
 * Parity plots as pictures: values of B over those of A.
 *
 * @module
 */

import { axisFor } from "../../observe/plot/plot_axis.ts";
import { PLOT_CLASS, PLOT_STYLE } from "../../observe/plot/plot_style.ts";
import { xmlText } from "../../observe/plot/xml_text.ts";

/** Values and texts of a parity plot. */
export interface ParityOptions {
  /** Title above the plot. */
  readonly title: string;
  /** Line below the title. */
  readonly subtitle: string;
  /** Labels of the axes. */
  readonly labels: readonly [a: string, b: string];
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly size?: number;
}

/** Number of points that are drawn of many: the ones that are farthest off, and a regular selection of the others. */
const POINTS = 4000, WORST = 200;

/** Returns an SVG file with a point for each pair of values, and the line on which both are equal. */
export function paritySvg(
  { title, subtitle, labels, a, b, size = 420 }: ParityOptions,
): string {
  const points = chosen(a, b);
  const values = points.flatMap((i) => [a[i]!, b[i]!]);
  const axis = axisFor(values, { scale: "linear", ticks: 5 });
  const widest = Math.max(...axis.labels.map(({ length }) => length));
  const box = {
    left: Math.round(38 + 6.7 * widest),
    right: Math.round(size - 8 - 3.4 * widest),
    top: 60,
    bottom: size - 46,
  };
  const across = (value: number) => round(box.left + axis.position(value) * (box.right - box.left));
  const up = (value: number) => round(box.bottom - axis.position(value) * (box.bottom - box.top));
  const middle = (box.top + box.bottom) / 2;
  const parts = [
    `<style>${PLOT_STYLE}.${PLOT_CLASS} .dot{fill-opacity:.55}</style>`,
    `<rect class="page" width="${size}" height="${size}"/>`,
    text(title, 12, 24, "title"),
    text(subtitle, 12, 44, "tick"),
    ...axis.ticks.map((tick, i) =>
      `<path class="grid" d="M${box.left} ${up(tick)}H${box.right}M${
        across(tick)
      } ${box.bottom}V${box.top}"/>` +
      text(axis.labels[i]!, box.left - 8, up(tick) + 4, "tick end") +
      text(axis.labels[i]!, across(tick), box.bottom + 18, "tick middle")
    ),
    `<path class="axis" d="M${box.left} ${box.bottom}L${box.right} ${box.top}"/>`,
    ...points.map((i) =>
      `<circle class="dot c0" cx="${across(a[i]!)}" cy="${up(b[i]!)}" r="2.6"/>`
    ),
    text(labels[0], (box.left + box.right) / 2, box.bottom + 36, "tick middle"),
    `<text class="tick middle" transform="translate(16 ${middle}) rotate(-90)">${
      xmlText(labels[1])
    }</text>`,
  ];
  const spoken = `${title}: ${subtitle}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="${PLOT_CLASS}" viewBox="0 0 ${size} ${size}" width="${size}" ` +
    `height="${size}" role="img" aria-label="${xmlText(spoken)}">\n${parts.join("\n")}\n</svg>\n`;
}

/** Returns the indices of the points to draw, which have finite values. */
export function chosen(a: readonly number[], b: readonly number[]): readonly number[] {
  const all = [...a.keys()].filter((i) => Number.isFinite(a[i]!) && Number.isFinite(b[i]!));
  if (all.length <= POINTS) return all;
  const error = (i: number) => Math.abs(b[i]! - a[i]!);
  const worst = all.toSorted((i, j) => error(j) - error(i)).slice(0, WORST);
  const every = Math.ceil(all.length / (POINTS - WORST));
  return [...new Set([...all.filter((_, k) => k % every === 0), ...worst])];
}

function text(content: string, x: number, y: number, style: string): string {
  return `<text class="${style}" x="${round(x)}" y="${round(y)}">${xmlText(content)}</text>`;
}

function round(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}
