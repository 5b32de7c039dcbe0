/**
 * Pictures of structures: spheres in the colors of their elements, and the edges of the cell.
 *
 * @module
 */

import type { System } from "../../batch/system.ts";
import { PLOT_CLASS, PLOT_STYLE } from "../../observe/plot/plot_style.ts";
import { xmlText } from "../../observe/plot/xml_text.ts";
import { type Color, colorOf, mixed, radiusOf } from "../../page/viewer/elements.ts";

/** Options of a picture. */
export interface AtomsOptions {
  /** Title above the picture. */
  readonly title: string;
  /** Width and height in pixels. */
  readonly size?: number;
}

/** View: the structure is turned by the first angle about z, then tilted by the second about the horizontal axis, rad. */
const TURN = -0.35, TILT = 1.22;

/** Number of parts of an edge of the cell, each of which is in front of or behind atoms. */
const PARTS = 16;

type Vector = readonly [number, number, number];

interface Shape {
  /** Distance towards the reader, Å. */
  readonly depth: number;
  /** Index of the atom; undefined for a part of an edge. */
  readonly atom?: number;
  readonly svg: (at: (v: Vector) => readonly [number, number], scale: number) => string;
}

/**
 * Returns an SVG file of a structure in parallel projection, with the farthest atoms drawn first. Atoms of periodic
 * structures are moved into the cell. Atoms that others hide completely are left out, so that the file stays small.
 *
 * @throws {RangeError} if a position is not finite
 */
export function atomsSvg(system: System, { title, size = 340 }: AtomsOptions): string {
  if (!system.positions.every(Number.isFinite)) {
    throw new RangeError("Cannot draw a structure: a position is not finite");
  }
  const points = insideCell(system).map(turned), { numbers, symbols } = system;
  const radii = Array.from(numbers, radiusOf), edges = edgesOf(system);
  const shapes: Shape[] = points.map((point, atom) => ({
    depth: point[2],
    atom,
    svg: (at, scale) => {
      const [x, y] = at(point);
      return `<circle cx="${round(x)}" cy="${round(y)}" r="${
        round(Math.max(1, radii[atom]! * scale))
      }" ` +
        `fill="url(#hooke-${symbols[atom]})"/>`;
    },
  }));
  for (const [from, to] of edges) shapes.push(...partsOf(from, to));
  const top = 38, bottom = 30, room = size - top - bottom;
  const corners = [
    ...points.map((point, i) => [point, radii[i]!] as const),
    ...edges.flat().map((x) => [x, 0.1] as const),
  ];
  const range = (k: 0 | 1) =>
    corners.reduce(
      ([least, most], [v, r]) => [Math.min(least, v[k] - r), Math.max(most, v[k] + r)] as const,
      [Infinity, -Infinity] as readonly [number, number],
    );
  const [x, y] = [range(0), range(1)];
  const scale = Math.min((size - 24) / (x[1] - x[0]), room / (y[1] - y[0]), 60);
  const at = (v: Vector) =>
    [
      size / 2 + (v[0] - (x[0] + x[1]) / 2) * scale,
      top + room / 2 - (v[1] - (y[0] + y[1]) / 2) * scale,
    ] as const;
  const seen = visible(points.map(at), points.map((v) => v[2]), radii.map((r) => r * scale), size);
  const drawn = shapes.filter(({ atom }) => atom === undefined || seen.has(atom))
    .sort((a, b) => a.depth - b.depth).map(({ svg }) => svg(at, scale));
  const elements = [...Map.groupBy(symbols.keys(), (i) => symbols[i]!)]
    .map(([symbol, all]) => ({ symbol, count: all.length, number: numbers[all[0]!]! }));
  const parts = [
    `<style>${PLOT_STYLE}.${PLOT_CLASS} circle{stroke:#000;stroke-opacity:.45;stroke-width:.6}` +
    `.${PLOT_CLASS} .edge{stroke-width:1.2;stroke-linecap:round}</style>`,
    `<defs>${elements.map(gradient).join("")}</defs>`,
    `<rect class="page" width="${size}" height="${size}"/>`,
    `<text class="title" x="12" y="24">${xmlText(title)}</text>`,
    ...drawn,
    legend(elements, size),
  ];
  const spoken = `${title}: ${
    elements.map(({ symbol, count }) => `${count} ${symbol}`).join(", ")
  }${edges.length === 0 ? "" : ", with the edges of the cell"}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="${PLOT_CLASS}" viewBox="0 0 ${size} ${size}" width="${size}" ` +
    `height="${size}" role="img" aria-label="${xmlText(spoken)}">\n${parts.join("\n")}\n</svg>\n`;
}

/** Returns the positions, moved into the cell in its periodic directions. */
function insideCell({ positions, cell, pbc, nodeCount }: System): Vector[] {
  const rows = [0, 3, 6].map((i) => [cell[i]!, cell[i + 1]!, cell[i + 2]!] as const);
  const [a, b, c] = rows as [Vector, Vector, Vector];
  const volume = dot(a, cross(b, c)), isWhole = Math.abs(volume) > 1e-9;
  const duals = [cross(b, c), cross(c, a), cross(a, b)];
  return Array.from({ length: nodeCount }, (_, i) => {
    let at: Vector = [positions[3 * i]!, positions[3 * i + 1]!, positions[3 * i + 2]!];
    if (!isWhole) return at;
    for (const k of [0, 1, 2]) {
      if (pbc[k] !== 1) continue;
      // Atoms that vibrate about a face stay together on one side of it.
      const turns = Math.floor(dot(at, duals[k]!) / volume + 0.05);
      at = plus(at, rows[k]!, -turns);
    }
    return at;
  });
}

/** Returns the twelve edges of the cell in the view; none without a cell. */
function edgesOf({ cell, pbc }: System): (readonly [Vector, Vector])[] {
  const rows = [0, 3, 6].map((i): Vector => [cell[i]!, cell[i + 1]!, cell[i + 2]!]);
  const isCell = pbc.includes(1) && Math.abs(dot(rows[0]!, cross(rows[1]!, rows[2]!))) > 1e-9;
  if (!isCell) return [];
  const corner = (bits: number) =>
    turned(rows.reduce((sum, row, k) => plus(sum, row, bits >> k & 1), [0, 0, 0] as Vector));
  return [0, 1, 2].flatMap((k) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bits) => (bits >> k & 1) === 0)
      .map((bits) => [corner(bits), corner(bits | 1 << k)] as const)
  );
}

function partsOf(from: Vector, to: Vector): Shape[] {
  const point = (t: number): Vector => plus(scaled(from, 1 - t), to, t);
  return Array.from({ length: PARTS }, (_, i) => {
    const [start, end] = [point(i / PARTS), point((i + 1) / PARTS)];
    return {
      depth: (start[2] + end[2]) / 2,
      svg: (at) => {
        const [[x0, y0], [x1, y1]] = [at(start), at(end)];
        return `<path class="axis edge" d="M${round(x0)} ${round(y0)}L${round(x1)} ${round(y1)}"/>`;
      },
    };
  });
}

/** Returns the atoms that are not hidden, by a raster with the depth of the foremost atom at each pixel. */
function visible(
  centers: readonly (readonly [number, number])[],
  depths: readonly number[],
  radii: readonly number[],
  size: number,
): ReadonlySet<number> {
  const foremost = new Int32Array(size * size).fill(-1);
  const order = centers.map((_, i) => i).sort((a, b) => depths[a]! - depths[b]!);
  for (const atom of order) {
    const [x, y] = centers[atom]!, r = Math.max(0.75, radii[atom]!);
    const rows = [Math.max(0, Math.floor(y - r)), Math.min(size - 1, Math.ceil(y + r))] as const;
    for (let row = rows[0]; row <= rows[1]; row++) {
      const half = Math.sqrt(Math.max(0, r * r - (row - y) ** 2));
      const from = Math.max(0, Math.round(x - half)), to = Math.min(size - 1, Math.round(x + half));
      foremost.fill(atom, row * size + from, row * size + to + 1);
    }
  }
  return new Set(foremost);
}

/** A sphere that is lit from the upper left. */
function gradient(
  { symbol, number }: { readonly symbol: string; readonly number: number },
): string {
  const color = colorOf(number, symbol);
  const stop = (offset: number, other: Color, share: number) =>
    `<stop offset="${offset}" stop-color="${mixed(color, other, share)}"/>`;
  return `<radialGradient id="hooke-${symbol}" cx="0.36" cy="0.32" r="0.75">` +
    stop(0, [255, 255, 255], 0.55) + stop(0.45, color, 0) + stop(1, [0, 0, 0], 0.38) +
    "</radialGradient>";
}

function legend(
  elements: readonly { readonly symbol: string; readonly count: number }[],
  size: number,
): string {
  let x = 12;
  return elements.map(({ symbol, count }) => {
    const label = `${symbol} ${count}`, from = x;
    x += 26 + 7 * label.length;
    if (x > size) return "";
    return `<circle cx="${from + 6}" cy="${size - 14}" r="6" fill="url(#hooke-${symbol})"/>` +
      `<text class="label" x="${from + 16}" y="${size - 10}">${label}</text>`;
  }).join("");
}

/** Returns a point in the view: to the right, upwards, and towards the reader. */
function turned([x, y, z]: Vector): Vector {
  const [cos, sin] = [Math.cos(TURN), Math.sin(TURN)];
  const [right, away] = [cos * x - sin * y, sin * x + cos * y];
  const [c, s] = [Math.cos(TILT), Math.sin(TILT)];
  return [right, c * away + s * z, c * z - s * away];
}

function plus(a: Vector, b: Vector, times: number): Vector {
  return [a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]];
}

function scaled(a: Vector, times: number): Vector {
  return [a[0] * times, a[1] * times, a[2] * times];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function round(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}
