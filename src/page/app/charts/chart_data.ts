/**
 * Points of a chart: few enough to draw at once, with the extremes of all.
 *
 * @module
 */

import type { Series } from "../data/series.ts";

/** Columns of a chart: values of the horizontal axis, then those of each series, null where one has no point. */
export type ChartData = [number[], ...(number | null)[][]];

/** Horizontal axis of charts: the step times `perStep`. */
export interface TimeAxis {
  readonly label: string;
  readonly unit: string;
  readonly perStep: number;
}

/** Visible part of the horizontal axis, in steps. */
export interface View {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the points to draw.
 *
 * @param width number of parts of which the extremes are drawn, about the width in pixels
 * @param perStep value of the horizontal axis of one step
 */
export function chartData(
  series: readonly Series[],
  { view, width, perStep, isLog }: {
    readonly view: View | undefined;
    readonly width: number;
    readonly perStep: number;
    readonly isLog: boolean;
  },
): ChartData {
  const outlines = series.map((one) => {
    // One more point at each side, so that lines reach the edges.
    const from = view === undefined ? 0 : Math.max(0, one.indexOf(view.from) - 1);
    const to = view === undefined ? one.length : Math.min(one.length, one.indexOf(view.to) + 2);
    const { steps, values } = one;
    return new Map(
      one.outline(from, to, width).map((index): [number, number | null] => {
        const value = values[index]!;
        return [steps[index]!, !Number.isFinite(value) || (isLog && value <= 0) ? null : value];
      }),
    );
  });
  const steps = outlines.length === 1
    ? [...outlines[0]!.keys()]
    : [...new Set(outlines.flatMap((outline) => [...outline.keys()]))].sort((a, b) => a - b);
  return [
    steps.map((step) => step * perStep),
    ...outlines.map((outline) => steps.map((step) => outline.get(step) ?? null)),
  ];
}
