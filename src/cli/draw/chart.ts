/**
 * Curves and clouds of points drawn with characters.
 *
 * @module
 */

import { axisFor, type AxisScale, isShown } from "../../observe/plot/plot_axis.ts";

/** Bits of the dots of a braille character, by column and row. */
const DOTS: readonly (readonly number[])[] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/** Points of a chart, and how to draw them. */
export interface ChartOptions {
  /** Title above the chart. */
  readonly title: string;
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** Label below the horizontal axis. @default undefined */
  readonly xLabel?: string;
  /** Width of the whole chart in characters. */
  readonly width: number;
  /** Height of the area of the points in characters. */
  readonly height: number;
  /** Scale of the vertical axis. @default "linear" */
  readonly scale?: AxisScale;
  /** True to connect points by lines. @default true */
  readonly isLine?: boolean;
  /** True if the horizontal axis has whole numbers, such as steps. @default false */
  readonly isWhole?: boolean;
  /** True to give both axes the same range, and to draw the line on which both are equal. @default false */
  readonly isParity?: boolean;
}

/**
 * Draws points above two axes. Each character has a grid of 2 × 4 dots. Lines are interrupted at values that cannot be
 * shown.
 */
export function chart(options: ChartOptions): string[] {
  const { title, x, y, xLabel, width, height, scale = "linear", isParity = false } = options;
  const both = isParity ? [...x, ...y] : undefined;
  const up = axisFor(both ?? y, {
    scale,
    ticks: Math.max(3, Math.round(height / 2)),
    isTight: true,
    isWhole: false,
  });
  const margin = Math.max(6, ...up.labels.map(({ length }) => length)) + 2;
  const columns = Math.max(10, width - margin - 1);
  const across = axisFor(both ?? x, {
    scale: isParity ? scale : "linear",
    ticks: Math.max(2, Math.round(columns / 14)),
    isTight: true,
    isWhole: options.isWhole ?? false,
  });
  const dots = new Dots(columns, height);
  if (isParity) dots.diagonal();
  let last: readonly [number, number] | undefined;
  for (const [i, value] of y.entries()) {
    if (!isShown(value, scale) || !Number.isFinite(x[i]!)) {
      last = undefined;
      continue;
    }
    const point = [across.position(x[i]!), up.position(value)] as const;
    dots.line(options.isLine === false ? point : last ?? point, point);
    last = point;
  }
  const rowOf = (tick: number) => Math.round((1 - up.position(tick)) * (height - 1));
  const labels = new Map(up.ticks.map((tick, i) => [rowOf(tick), up.labels[i]!]));
  const lines = dots.rows().map((row, i) => {
    const label = labels.get(i);
    return `${(label ?? "").padStart(margin - 1)} ${label === undefined ? "│" : "┤"}${row}`
      .trimEnd();
  });
  return [title, ...lines, ...axisLines(across, { margin, columns, xLabel })];
}

/** Returns the horizontal axis, its labels, and the name of its values. */
function axisLines(
  { ticks, labels, position }: ReturnType<typeof axisFor>,
  { margin, columns, xLabel }: {
    readonly margin: number;
    readonly columns: number;
    readonly xLabel: string | undefined;
  },
): string[] {
  const rule = new Array<string>(columns).fill("─"), names = new Array<string>(columns).fill(" ");
  let free = 0;
  for (const [i, tick] of ticks.entries()) {
    const at = Math.min(columns - 1, Math.round(position(tick) * (columns - 1)));
    const label = labels[i]!;
    const from = Math.max(0, Math.min(columns - label.length, at - (label.length >> 1)));
    rule[at] = "┬";
    if (from < free) continue; // there is no room between two labels
    names.splice(from, label.length, ...label);
    free = from + label.length + 1;
  }
  const left = " ".repeat(margin);
  return [
    `${left}└${rule.join("")}`,
    `${left} ${names.join("").trimEnd()}`,
    ...(xLabel === undefined ? [] : [`${left} ${xLabel.padStart(columns)}`]),
  ];
}

/** A grid of dots, 2 × 4 of them in a character. Positions go from 0 to 1, upwards and to the right. */
class Dots {
  readonly #columns: number;
  readonly #rows: number;
  readonly #bits: Uint8Array;

  constructor(columns: number, rows: number) {
    [this.#columns, this.#rows] = [columns, rows];
    this.#bits = new Uint8Array(columns * rows);
  }

  /** Draws a line between two points. */
  line(from: readonly [number, number], to: readonly [number, number]): void {
    const [x0, y0] = this.#dot(from), [x1, y1] = this.#dot(to);
    const steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1);
    for (let i = 0; i <= steps; i++) {
      this.#set(Math.round(x0 + (x1 - x0) * i / steps), Math.round(y0 + (y1 - y0) * i / steps));
    }
  }

  /** Draws a dotted line from the lower left to the upper right corner. */
  diagonal(): void {
    const count = this.#columns;
    for (let i = 0; i <= count; i += 2) this.line([i / count, i / count], [i / count, i / count]);
  }

  rows(): string[] {
    return Array.from({ length: this.#rows }, (_, row) => {
      const bits = this.#bits.subarray(row * this.#columns, (row + 1) * this.#columns);
      return Array.from(bits, (bit) => bit === 0 ? " " : String.fromCharCode(0x2800 + bit)).join(
        "",
      );
    });
  }

  #dot([x, y]: readonly [number, number]): [number, number] {
    return [Math.round(x * (2 * this.#columns - 1)), Math.round((1 - y) * (4 * this.#rows - 1))];
  }

  #set(x: number, y: number): void {
    this.#bits[(y >> 2) * this.#columns + (x >> 1)]! |= DOTS[x & 1]![y & 3]!;
  }
}
