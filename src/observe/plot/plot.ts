import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import { checkNumber, checkOptions, checkType, isOneOf } from "../any/hook_options.ts";
import { type Axis, axisFor, type AxisScale, isShown } from "./plot_axis.ts";
import { PLOT_CLASS, PLOT_COLORS, PLOT_STYLE } from "./plot_style.ts";
import type { ScalarSeries } from "../reporter/scalar_history.ts";
import { xmlText } from "./xml_text.ts";

/** A run that can be plotted: a `Reporter`, the result of `readRun`, or any object with a history. */
export interface PlottedRun {
  /** Scalars over steps. */
  readonly history: {
    /** Returns the names of the scalars. */
    names(): readonly string[];
    /** Returns the points of a scalar. */
    series(name: string): ScalarSeries;
  };
}

/** Options of {@linkcode plot}. */
export interface PlotOptions {
  /**
   * Names of the scalars to plot, one line each.
   *
   * @default all scalars except those of speed and progress
   */
  readonly scalars?: readonly string[];
  /**
   * Scale of the values. On a `"log"` scale, values that are not above 0 are left out.
   *
   * @default "linear"
   */
  readonly scale?: "linear" | "log";
  /**
   * Values of the horizontal axis: the step times `perStep`, with a label that names the unit, such as
   * `{ label: "time, ps", perStep: 0.001 * dt }`.
   *
   * @default { label: "step", perStep: 1 }
   */
  readonly x?: { readonly label: string; readonly perStep: number };
  /**
   * Title above the plot.
   *
   * @default undefined
   */
  readonly title?: string;
  /**
   * Width in pixels.
   *
   * @default 720
   */
  readonly width?: number;
  /**
   * Height in pixels.
   *
   * @default 360
   */
  readonly height?: number;
}

const NAME = "plot";
/** Approximate width of a letter in the legend, in pixels. */
const LETTER = 6.7;
const LEGEND_ROW = 20;

/**
 * Plots scalars of a run over its steps or time, and returns the text of an SVG file with axes and a legend of the last
 * values. Its colors suit light and dark pages. Lines are interrupted at values that are not finite.
 *
 * @throws {TypeError} if an option is of the wrong kind
 * @throws {RangeError} if a name in `scalars` is not a scalar of the run, if there are no scalars to plot, or if the
 * size is below 160 × 120 pixels
 *
 * @example
 * ```ts
 * import { plot, ScalarHistory } from "@hooke/hooke/observe";
 * import { assertMatch } from "@std/assert";
 *
 * const history = new ScalarHistory();
 * for (let step = 0; step < 50; step++) history.add({ step, scalars: { loss: 0.9 ** step } });
 * const svg = plot({ history }, { scalars: ["loss"], scale: "log", title: "A loss" });
 * assertMatch(svg, /^<svg .*<polyline .*<\/svg>\n$/s);
 * ```
 */
export function plot(run: PlottedRun, options: PlotOptions = {}): string {
  checkPlot(options);
  const { scale = "linear", title, width = 720, height = 360 } = options;
  const { x: { label: unit, perStep } = { label: "step", perStep: 1 } } = options;
  const lines = chosen(run, options).map((name) => {
    const { steps, values } = run.history.series(name);
    return { name, steps: steps.map((step) => step * perStep), values };
  });
  const legend = legendOf(lines, width);
  const y = axisFor(lines.flatMap(({ values }) => values), {
    scale,
    ticks: Math.max(2, Math.round(height / 70)),
  });
  const widest = Math.max(...y.labels.map(({ length }) => length));
  const box: Box = {
    left: Math.round(14 + LETTER * widest),
    right: width - 18,
    top: (title === undefined ? 12 : 38) + LEGEND_ROW * legend.rows,
    bottom: height - 42,
  };
  const x = axisFor(lines.flatMap(({ steps }) => steps), {
    scale: "linear",
    ticks: Math.max(2, Math.round((box.right - box.left) / 100)),
    isTight: true,
    isWhole: options.x === undefined,
  });
  const parts = [
    `<style>${PLOT_STYLE}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    ...(title === undefined ? [] : [text(title, { x: box.left, y: 24, style: "title" })]),
    legend.draw(box.left, title === undefined ? 20 : 46),
    axes(x, y, box, unit),
    ...lines.map((line, i) => curve(line, i, { x, y, box, scale })),
  ];
  const label = xmlText([...(title === undefined ? [] : [title]), ...lines.map(spoken)].join("; "));
  return `<svg xmlns="http://www.w3.org/2000/svg" class="${PLOT_CLASS}" viewBox="0 0 ${width} ${height}" width="${width}" ` +
    `height="${height}" role="img" aria-label="${label}">\n${parts.join("\n")}\n</svg>\n`;
}

/** Area of the curves, in pixels. */
interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

type Line = ScalarSeries & { readonly name: string };

function checkPlot(options: PlotOptions): void {
  checkOptions(NAME, options, ["scalars", "scale", "x", "title", "width", "height"]);
  const areTexts = (x: unknown) =>
    Array.isArray(x) && x.length > 0 && x.every((name) => typeof name === "string");
  checkType(NAME, options, "scalars", "a list of names", areTexts);
  checkType(NAME, options, "scale", '"linear" or "log"', isOneOf("linear", "log"));
  const isAxis = (x: unknown) =>
    isObject(x) && typeof x.label === "string" && typeof x.perStep === "number" && x.perStep > 0;
  checkType(NAME, options, "x", "an object with a label and perStep above 0", isAxis);
  checkType(NAME, options, "title", "a string", (x) => typeof x === "string");
  checkNumber(NAME, options, "width", {
    requirement: "160 or more, and finite",
    holds: (x) => x >= 160 && x < Infinity,
  });
  checkNumber(NAME, options, "height", {
    requirement: "120 or more, and finite",
    holds: (x) => x >= 120 && x < Infinity,
  });
}

function chosen({ history }: PlottedRun, { scalars }: PlotOptions): readonly string[] {
  const known = history.names();
  const names = scalars ?? known.filter((name) => !/^(dynamics|training)\//.test(name));
  for (const name of names) {
    if (known.includes(name)) continue;
    const requirement = `its scalars must be in the run (${known.join(", ")})`;
    throw new RangeError(complaint(`make a ${NAME}`, requirement, name, known));
  }
  if (names.length > 0) return names;
  throw new RangeError(`Cannot make a ${NAME}: the run has no scalars`);
}

/** Lays out the names and last values of the lines as a legend, in as many rows as needed. */
function legendOf(lines: readonly Line[], width: number) {
  const positions: { x: number; row: number }[] = [];
  let x = 0, row = 0;
  const labels = lines.map(({ name, values }) => `${name}  ${lastOf(values)}`);
  for (const label of labels) {
    const wide = 30 + LETTER * label.length;
    if (x > 0 && x + wide > width - 90) [x, row] = [0, row + 1];
    positions.push({ x, row });
    x += wide + 18;
  }
  const draw = (left: number, top: number) =>
    labels.map((label, i) => {
      const at = { x: left + positions[i]!.x, y: top + LEGEND_ROW * positions[i]!.row };
      const sample = `<path class="line ${classOf(i)}" d="M${at.x} ${at.y - 4}h20"/>`;
      return sample + text(label, { x: at.x + 26, y: at.y, style: "label" });
    }).join("\n");
  return { rows: row + 1, draw };
}

/** Returns a description of a line for screen readers. */
function spoken({ name, values }: Line): string {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return `${name} without values`;
  const [least, most] = [
    finite.reduce((a, b) => Math.min(a, b)),
    finite.reduce((a, b) => Math.max(a, b)),
  ];
  return `${name} between ${+least.toPrecision(5)} and ${+most.toPrecision(5)}, last ${
    lastOf(finite)
  }`;
}

function lastOf(values: readonly number[]): string {
  const last = values.at(-1);
  if (last === undefined) return "";
  const isTiny = last !== 0 && Math.abs(last) < 1e-3;
  return (isTiny ? last.toExponential(3) : String(+last.toPrecision(5))).replaceAll("-", "−");
}

function axes(x: Axis, y: Axis, box: Box, unit: string): string {
  const across = y.ticks.map((tick, i) => {
    const at = round(box.bottom - y.position(tick) * (box.bottom - box.top));
    return `<path class="grid" d="M${box.left} ${at}H${box.right}"/>` +
      text(y.labels[i]!, { x: box.left - 8, y: at + 4, style: "tick end" });
  });
  const up = x.ticks.map((tick, i) => {
    const at = round(box.left + x.position(tick) * (box.right - box.left));
    return `<path class="axis" d="M${at} ${box.bottom}v5"/>` +
      text(x.labels[i]!, { x: at, y: box.bottom + 19, style: "tick middle" });
  });
  const middle = round((box.left + box.right) / 2);
  return [
    ...across,
    `<path class="axis" d="M${box.left} ${box.bottom}H${box.right}"/>`,
    ...up,
    text(unit, { x: middle, y: box.bottom + 36, style: "tick middle" }),
  ].join("\n");
}

function curve(
  { steps, values }: Line,
  index: number,
  { x, y, box, scale }: {
    readonly x: Axis;
    readonly y: Axis;
    readonly box: Box;
    readonly scale: AxisScale;
  },
): string {
  const pieces: string[][] = [[]];
  for (const [i, value] of values.entries()) {
    if (!isShown(value, scale)) {
      pieces.push([]);
      continue;
    }
    const across = box.left + x.position(steps[i]!) * (box.right - box.left);
    const up = box.bottom - y.position(value) * (box.bottom - box.top);
    pieces.at(-1)!.push(`${round(across)},${round(up)}`);
  }
  return pieces.filter(({ length }) => length > 0).map((points) => {
    if (points.length > 1) {
      return `<polyline class="line ${classOf(index)}" points="${points.join(" ")}"/>`;
    }
    const [cx, cy] = points[0]!.split(",");
    return `<circle class="dot ${classOf(index)}" cx="${cx}" cy="${cy}" r="3"/>`;
  }).join("\n");
}

/** Returns the class of a line: its color, and dashes once all colors are used. */
function classOf(index: number): string {
  const dashes = Math.min(2, Math.floor(index / PLOT_COLORS));
  return `c${index % PLOT_COLORS}${dashes > 0 ? ` d${dashes}` : ""}`;
}

function text(
  content: string,
  { x, y, style }: { readonly x: number; readonly y: number; readonly style: string },
): string {
  return `<text class="${style}" x="${x}" y="${y}">${xmlText(content)}</text>`;
}

function round(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}
