/**
 * Draws the two kinds of Mermaid diagrams that the pages have as SVG, so that the site needs no network.
 *
 * @module
 */

import { escapeHtml } from "./highlight.ts";

/** Width of a letter, and sizes of boxes and gaps, in pixels. */
const LETTER = 8, BOX = 34, GAP_X = 44, GAP_Y = 46, COLUMN = 180, ROW = 32;

/** Returns a diagram as SVG. Throws a SyntaxError if it is neither a `flowchart` nor a `sequenceDiagram`. */
export function diagramSvg(text: string): string {
  const [kind = "", ...lines] = text.trim().split("\n").map((line) => line.trim());
  if (kind.startsWith("flowchart")) return flowchartSvg(lines);
  if (kind === "sequenceDiagram") return sequenceSvg(lines);
  throw new SyntaxError(
    `Cannot draw the diagram: it must be a flowchart or a sequenceDiagram; got ${kind}`,
  );
}

function svg(width: number, height: number, parts: readonly string[]): string {
  return `<svg viewBox="0 0 ${width} ${height}" style="max-width:${width}px" role="img">` +
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">` +
    `<path d="M0 0L8 4L0 8z" class="tip"/></marker></defs>${parts.join("")}</svg>`;
}

function textAt(x: number, y: number, text: string): string {
  return `<text x="${x}" y="${y}" text-anchor="middle">${escapeHtml(text)}</text>`;
}

function boxAt(x: number, y: number, label: string): string {
  const width = widthOf(label);
  return `<rect x="${x - width / 2}" y="${y}" width="${width}" height="${BOX}" rx="6"/>` +
    textAt(x, y + BOX / 2 + 5, label);
}

function widthOf(label: string): number {
  return label.length * LETTER + 24;
}

/** Boxes in layers, each below everything that points to it. */
function flowchartSvg(lines: readonly string[]): string {
  const labels = new Map<string, string>(), arrows: Arrow[] = [];
  for (const line of lines) {
    const box = /^(\w+)\["(.*)"\]$/.exec(line), arrow = /^(\w+) --> (\w+)$/.exec(line);
    if (box !== null) labels.set(box[1]!, box[2]!);
    if (arrow !== null) arrows.push([arrow[1]!, arrow[2]!]);
  }
  const depths = depthsOf([...labels.keys()], arrows);
  const chains = arrows.map(([from, to]) => [from, ...bendsOf(from, to, depths), to]);
  const layers = layersOf(depths, chains);
  const half = (id: string) => labels.has(id) ? widthOf(labels.get(id)!) / 2 : 0;
  const widths = layers.map((layer) =>
    layer.reduce((sum, id) => sum + 2 * half(id) + GAP_X, GAP_X)
  );
  const width = Math.max(...widths), places = new Map<string, readonly [number, number]>();
  for (const [i, layer] of layers.entries()) {
    let x = (width - widths[i]!) / 2 + GAP_X;
    for (const id of layer) {
      places.set(id, [x + half(id), 10 + i * (BOX + GAP_Y)]);
      x += 2 * half(id) + GAP_X;
    }
  }
  const paths = chains.map((chain) => chainPath(chain.map((id) => places.get(id)!)));
  const boxes = [...labels].map(([id, label]) => boxAt(...places.get(id)!, label));
  return svg(width, 20 + layers.length * (BOX + GAP_Y) - GAP_Y, [...paths, ...boxes]);
}

type Arrow = readonly [from: string, to: string];

/** A line from the first place through the others, straight down past boxes in between. */
function chainPath(places: readonly (readonly [number, number])[]): string {
  const [[x, top] = [0, 0], ...rest] = places;
  let from = [x, top + BOX] as const, path = `M${x} ${from[1]}`;
  for (const [i, [u, v]] of rest.entries()) {
    const isLast = i === rest.length - 1, middle = (from[1] + v) / 2;
    path += `C${from[0]} ${middle} ${u} ${middle} ${u} ${isLast ? v - 2 : v}`;
    if (!isLast) path += `V${v + BOX}`;
    from = [u, v + BOX];
  }
  return `<path d="${path}" marker-end="url(#tip)"/>`;
}

/** Returns the layer of each box: one more than that of the lowest box that points to it. */
function depthsOf(ids: readonly string[], arrows: readonly Arrow[]): Map<string, number> {
  const sources = Map.groupBy(arrows, ([, to]) => to);
  const depth = (id: string): number =>
    (sources.get(id) ?? []).reduce((most, [from]) => Math.max(most, depth(from) + 1), 0);
  return new Map(ids.map((id) => [id, depth(id)]));
}

/** Adds a place to each layer that an arrow passes, so that no box is drawn over it. Returns their ids. */
function bendsOf(from: string, to: string, depths: Map<string, number>): string[] {
  const [first, last] = [depths.get(from)!, depths.get(to)!], bends: string[] = [];
  for (let layer = first + 1; layer < last; layer++) {
    const id = `${from}>${to}>${layer}`;
    depths.set(id, layer);
    bends.push(id);
  }
  return bends;
}

/** Returns the ids of each layer, ordered so that lines are short. */
function layersOf(
  depths: ReadonlyMap<string, number>,
  chains: readonly (readonly string[])[],
): string[][] {
  const above = new Map<string, string[]>();
  for (const chain of chains) {
    for (const [i, id] of chain.entries()) {
      if (i > 0) above.set(id, [...above.get(id) ?? [], chain[i - 1]!]);
    }
  }
  const layers: string[][] = [];
  for (const [id, depth] of depths) (layers[depth] ??= []).push(id);
  const place = new Map<string, number>();
  for (const layer of layers) {
    const wish = (id: string) => {
      const places = (above.get(id) ?? []).map((from) => place.get(from)!);
      return places.length === 0 ? 0.5 : places.reduce((sum, x) => sum + x) / places.length;
    };
    layer.sort((a, b) => wish(a) - wish(b));
    for (const [i, id] of layer.entries()) place.set(id, (i + 0.5) / layer.length);
  }
  return layers;
}

/** A column for each participant, and an arrow for each message. */
function sequenceSvg(lines: readonly string[]): string {
  const messages = lines.flatMap((line) => {
    const match = /^(\w+)(--?)>>(\w+): (.*)$/.exec(line);
    return match === null ? [] : [match];
  });
  const names = [...new Set(messages.flatMap(([, from, , to]) => [from!, to!]))];
  const x = (name: string) => 90 + COLUMN * names.indexOf(name);
  const height = 10 + BOX + ROW * (messages.length + 1);
  const columns = names.map((name) =>
    `<path class="life" d="M${x(name)} ${10 + BOX}V${height}"/>${boxAt(x(name), 10, name)}`
  );
  const arrows = messages.map(([, from, dashes, to, label], i) => {
    const y = 10 + BOX + ROW * (i + 1), dashed = dashes === "--" ? ` class="dashed"` : "";
    const [a, b] = [x(from!), x(to!)], end = b + (b > a ? -2 : 2);
    return `<path${dashed} d="M${a} ${y}H${end}" marker-end="url(#tip)"/>` +
      textAt((a + b) / 2, y - 6, label!);
  });
  return svg(180 + COLUMN * (names.length - 1), height + 10, [...columns, ...arrows]);
}
