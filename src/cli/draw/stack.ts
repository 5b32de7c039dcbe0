/**
 * Pictures below one another in one SVG file.
 *
 * @module
 */

import { xmlText } from "../../observe/plot/xml_text.ts";

/**
 * Returns an SVG file with the given SVG files below one another, all of the given width.
 *
 * @param label description of the whole for screen readers
 */
export function stacked(svgs: readonly string[], width: number, label: string): string {
  const heights = svgs.map((svg) => Number(/ height="([\d.]+)"/.exec(svg)?.[1] ?? 0));
  const height = heights.reduce((sum, each) => sum + each, 0);
  let top = 0;
  const parts = svgs.map((svg, i) => {
    const part = svg.trimEnd().replace("<svg ", `<svg y="${top}" `);
    top += heights[i]!;
    return part;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" ` +
    `height="${height}" role="img" aria-label="${xmlText(label)}">\n${parts.join("\n")}\n</svg>\n`;
}
