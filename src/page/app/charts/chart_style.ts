/**
 * Options of uPlot: axes, colors, cursor and zoom.
 *
 * @module
 */

import type uPlot from "uplot";
import { numberText } from "../format.ts";
import type { ChartSpec } from "./chart_groups.ts";
import type { CursorStore } from "./cursor.ts";

/** Colors of series. Further ones repeat them with dashes. */
const COLORS = 6;
const FONT = '11.5px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif';

/** Returns a color of the current theme. */
export function themeColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Returns the options of a chart. While `isFollowing` is true, the cursor is moved by the page, not by a pointer. */
export function plotOptions(
  spec: ChartSpec,
  axis: { readonly label: string; readonly perStep: number },
  cursor: CursorStore,
  size: { readonly width: number; readonly height: number },
  isFollowing: () => boolean,
): uPlot.Options {
  return {
    ...size,
    padding: [8, 12, 0, 0],
    legend: { show: false },
    scales: { x: { time: false }, y: spec.scale === "log" ? { distr: 3 } : {} },
    series: [{}, ...spec.names.map((_, i) => seriesOptions(i))],
    axes: axesOf(axis.label),
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 7 },
      bind: { dblclick: () => () => (cursor.set("view", undefined), null) },
    },
    hooks: hooksOf(axis.perStep, cursor, isFollowing),
  };
}

function seriesOptions(index: number): uPlot.Series {
  return {
    stroke: () => themeColor(`c${index % COLORS}`),
    width: 1.6,
    spanGaps: true,
    points: { show: (plot: uPlot) => (plot.data[0]?.length ?? 0) < 3 },
    ...(index < COLORS ? {} : { dash: index < 2 * COLORS ? [6, 4] : [2, 4] }),
  };
}

function axisOptions(): uPlot.Axis {
  return {
    font: FONT,
    gap: 4,
    stroke: () => themeColor("muted"),
    grid: { stroke: () => themeColor("line"), width: 1 },
    ticks: { show: false },
  };
}

function hooksOf(
  perStep: number,
  cursor: CursorStore,
  isFollowing: () => boolean,
): uPlot.Hooks.Arrays {
  return {
    setCursor: [(plot) => {
      if (isFollowing()) return;
      const { left = -1 } = plot.cursor;
      cursor.set("step", left < 0 ? undefined : plot.posToVal(left, "x") / perStep);
    }],
    setSelect: [(plot) => {
      const { left, width } = plot.select;
      if (width < 4) return;
      plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
      const [from, to] = [left, left + width].map((at) => plot.posToVal(at, "x") / perStep);
      cursor.set("view", { from: from!, to: to! });
    }],
    ready: [(plot) =>
      onClick(plot, () => {
        const { left = -1 } = plot.cursor;
        if (left >= 0) cursor.pick(plot.posToVal(left, "x") / perStep);
      })],
    draw: [(plot) => {
      const { pinned } = cursor.state;
      if (pinned !== undefined) drawPinned(plot, pinned * perStep);
    }],
  };
}

/** Calls a function after clicks that are no drags. */
function onClick({ over }: uPlot, click: () => void): void {
  let from = 0;
  over.addEventListener("pointerdown", (event) => from = event.clientX);
  over.addEventListener("click", (event) => {
    if (Math.abs(event.clientX - from) < 4) click();
  });
}

/** Draws a line at the step whose structure is shown. */
function drawPinned({ ctx, bbox, valToPos, scales }: uPlot, x: number): void {
  if (x < scales.x!.min! || x > scales.x!.max!) return;
  const left = Math.round(valToPos(x, "x", true));
  ctx.save();
  ctx.strokeStyle = themeColor("accent");
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/** Returns labels of ticks with as many decimals as their distance needs. */
export function tickLabels(ticks: readonly (number | null)[]): string[] {
  const numbers = ticks.filter((tick) => tick !== null);
  const step = numbers.length > 1 ? Math.abs(numbers[1]! - numbers[0]!) : 1;
  const largest = Math.max(...numbers.map(Math.abs));
  const isPlain = largest < 1e6 && step >= 1e-4;
  return ticks.map((tick) => {
    if (tick === null) return "";
    if (!isPlain) return numberText(tick, 4);
    const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    return (tick === 0 ? "0" : tick.toFixed(Math.min(6, decimals))).replace("-", "−");
  });
}

/** Returns the options of a chart of one curve over its own axis. Calls `onCursor` when the cursor moves. */
export function curveOptions(
  label: string,
  size: { readonly width: number; readonly height: number },
  onCursor: () => void,
): uPlot.Options {
  const [x, y] = axesOf(label);
  return {
    ...size,
    padding: [8, 12, 0, 0],
    legend: { show: false },
    scales: { x: { time: false } },
    series: [{}, seriesOptions(0)],
    axes: [x!, y!],
    cursor: { y: false, points: { size: 7 } },
    hooks: { setCursor: [onCursor] },
  };
}

function axesOf(label: string): uPlot.Axis[] {
  return [
    { ...axisOptions(), size: 24, label, labelSize: 18, labelFont: FONT, labelGap: 0 },
    {
      ...axisOptions(),
      size: (_plot: uPlot, labels: string[]) =>
        14 + 6.6 * Math.max(2, ...(labels ?? []).map(({ length }) => length)),
      values: (_plot: uPlot, ticks: number[]) => tickLabels(ticks),
    },
  ];
}

/** Returns the options of a chart whose points are painted by a function. */
export function scatterOptions(
  label: string,
  size: { readonly width: number; readonly height: number },
  { draw, move }: { readonly draw: (plot: uPlot) => void; readonly move: () => void },
): uPlot.Options {
  const scales = { x: { time: false, range: withRoom }, y: { range: withRoom } };
  return {
    ...curveOptions(label, size, move),
    scales,
    series: [{}, { paths: () => null, points: { show: false } }],
    cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: true } },
    hooks: { setCursor: [move], draw: [draw] },
  };
}

/** Returns a range with room for points at its ends. */
function withRoom(_plot: uPlot, min: number | null, max: number | null): [number, number] {
  if (min === null || max === null) return [0, 1];
  const room = max > min ? 0.04 * (max - min) : Math.max(1, Math.abs(min)) * 0.05;
  return [min - room, max + room];
}
