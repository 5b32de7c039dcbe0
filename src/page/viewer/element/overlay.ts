/**
 * Lines and texts above the picture: measured lengths and angles, and the directions of the axes.
 *
 * @module
 */

import type { AtomView } from "../atom_view.ts";
import { type Projected, projection } from "../camera.ts";
import { svg } from "./dom.ts";
import { measurementText, nearestVector } from "../measuring.ts";
import { dot, plus, rowsOf, unit, type Vector } from "../vector.ts";

/** Length of the axes, and their distance from the corner, pixels. */
const LENGTH = 26, CORNER = 42;

/** Draws the overlay of a view. */
export function drawOverlay(overlay: SVGSVGElement, view: AtomView, showsAxes: boolean): void {
  const { clientWidth: width, clientHeight: height } = view.canvas;
  overlay.setAttribute("viewBox", `0 0 ${width} ${height}`);
  overlay.replaceChildren(
    ...measurementLines(view),
    ...(showsAxes && view.frame !== undefined ? axes(view, height) : []),
  );
}

/** Returns dashed lines between the selected atoms, and the measured value. */
function measurementLines(view: AtomView): SVGElement[] {
  const measured = view.measured(), { selection, shapes } = view;
  if (measured === undefined || shapes === undefined) return [];
  const { clientWidth: width, clientHeight: height } = view.canvas;
  const project = projection(view.camera, { width, height });
  let at = selection[0]!.position;
  const points: Projected[] = [project(at)];
  for (const { position } of selection.slice(1)) {
    at = plus(at, nearestVector(at, position, shapes.lattice));
    points.push(project(at));
  }
  const path = points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
  const middle = points.length === 3 ? [points[1]!] : points;
  const [x, y] = [0, 1].map((k) =>
    middle.reduce((sum, point) => sum + point[k]!, 0) / middle.length
  ) as [
    number,
    number,
  ];
  return [
    svg("path", { d: path, class: "measured" }),
    svg("text", { x: round(x), y: round(y - 10), class: "value" }, measurementText(measured)),
  ];
}

/** Returns the directions of the cell, or of the coordinates without a cell, in the lower left corner. */
function axes(view: AtomView, height: number): SVGElement[] {
  const rows = rowsOf(view.camera.rotation);
  return directionsOf(view)
    .map(([name, direction], k) => ({
      name,
      k,
      seen: rows.map((row) => dot(row, unit(direction))),
    }))
    .sort((a, b) => a.seen[2]! - b.seen[2]!) // the foremost is drawn last
    .flatMap(({ name, k, seen: [right, up] }) => {
      const [x, y] = [CORNER + LENGTH * right!, height - CORNER - LENGTH * up!];
      const [textX, textY] = [CORNER + (LENGTH + 9) * right!, height - CORNER - (LENGTH + 9) * up!];
      return [
        svg("path", {
          d: `M${CORNER} ${height - CORNER}L${round(x)} ${round(y)}`,
          class: `axis k${k}`,
        }),
        svg("text", { x: round(textX), y: round(textY + 4), class: `axis k${k}` }, name),
      ];
    });
}

/** Returns the names and directions of the axes: those of the cell if there is one. */
export function directionsOf(view: AtomView): (readonly [name: string, direction: Vector])[] {
  const lattice = view.shapes?.lattice;
  const rows = lattice?.cell ?? [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const names = lattice === undefined ? "xyz" : "abc";
  return [0, 1, 2].map((k) => [names[k]!, [rows[3 * k]!, rows[3 * k + 1]!, rows[3 * k + 2]!]]);
}

function round(pixels: number): string {
  return String(Math.round(10 * pixels) / 10);
}
