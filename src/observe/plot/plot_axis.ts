/**
 * Axes of a plot: ranges, positions and labels.
 *
 * @module
 */

/** Scale of an axis. */
export type AxisScale = "linear" | "log";

/** Axis of a plot. */
export interface Axis {
  /** Values of the ticks. */
  readonly ticks: readonly number[];
  /** Label of each tick. */
  readonly labels: readonly string[];
  /** Returns the position of a value: 0 at the beginning of the axis, 1 at its end. */
  position(value: number): number;
}

/**
 * Returns an axis for some values, with about `ticks` ticks. Values that are not finite, or on a log scale not above
 * 0, are ignored.
 */
export function axisFor(
  values: readonly number[],
  { scale, ticks, isTight = false, isWhole = true }: {
    readonly scale: AxisScale;
    readonly ticks: number;
    /** Makes the axis end at the smallest and largest value instead of at ticks. */
    readonly isTight?: boolean;
    /** Makes the ticks of a tight axis whole numbers. */
    readonly isWhole?: boolean;
  },
): Axis {
  const shown = values.filter((value) => isShown(value, scale));
  if (scale === "log") return logAxis(shown, ticks);
  const [least, most] = rangeOf(shown, [0, 1]);
  return linearAxis(least, most, ticks, { isTight, isWhole });
}

/** Largest absolute value to show. The difference of two larger values could overflow. */
const LARGEST = 1e300;

/** Returns whether a value can be shown on a scale. */
export function isShown(value: number, scale: AxisScale): boolean {
  return Math.abs(value) <= LARGEST && (scale === "linear" || value > 0);
}

/**
 * Returns the smallest and the largest value. If both are equal, they are moved apart by a margin. Returns
 * `otherwise` if there are no values.
 */
function rangeOf(
  values: readonly number[],
  otherwise: readonly [number, number],
): [number, number] {
  if (values.length === 0) return [...otherwise];
  const least = values.reduce((a, b) => Math.min(a, b)),
    most = values.reduce((a, b) => Math.max(a, b));
  if (most - least > 1e-12 * Math.max(Math.abs(least), Math.abs(most))) return [least, most];
  const room = least === 0 ? 1 : Math.abs(least) * 0.05;
  return [least - room, most + room];
}

function linearAxis(
  least: number,
  most: number,
  wanted: number,
  { isTight, isWhole }: { readonly isTight: boolean; readonly isWhole: boolean },
): Axis {
  const step = Math.max(niceStep((most - least) / wanted), isTight && isWhole ? 1 : 0);
  const first = isTight ? Math.ceil(least / step - 1e-9) : Math.floor(least / step + 1e-9);
  const last = isTight ? Math.floor(most / step + 1e-9) : Math.ceil(most / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  const [from, to] = isTight ? [least, most] : [first * step, last * step];
  const labels = linearLabels(ticks, step);
  return { ticks, labels, position: (value) => (value - from) / (to - from) };
}

/** Returns the smallest of 1, 2 and 5 times a power of ten that is not below `atLeast`. */
function niceStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const times = [1, 2, 5, 10].find((n) => n * power >= atLeast * (1 - 1e-9))!;
  return times * power;
}

const THOUSANDS = ["", "k", "M", "G", "T"];

function linearLabels(ticks: readonly number[], step: number): string[] {
  const largest = Math.max(...ticks.map(Math.abs));
  if (largest > 0 && (largest < 1e-3 || largest >= 1e15)) {
    const digits = Math.max(0, Math.floor(Math.log10(largest)) - Math.floor(Math.log10(step)));
    return ticks.map((tick) =>
      tick === 0 ? "0" : minus(tick.toExponential(digits).replace(/\.?0+e/, "e"))
    );
  }
  const group = step >= 1000 || (largest >= 1e4 && step >= 100)
    ? Math.min(THOUSANDS.length - 1, Math.floor(Math.log10(largest) / 3))
    : 0;
  const unit = 1000 ** group;
  const decimals = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  return ticks.map((tick) =>
    tick === 0 ? "0" : minus((tick / unit).toFixed(decimals)) + THOUSANDS[group]
  );
}

function logAxis(values: readonly number[], wanted: number): Axis {
  const [least, most] = rangeOf(values.map(Math.log10), [-1, 1]);
  const from = Math.floor(least + 1e-9), to = Math.max(from + 1, Math.ceil(most - 1e-9));
  const decades = to - from;
  const every = Math.max(1, Math.ceil(decades / wanted));
  const powers = Array.from({ length: decades + 1 }, (_, i) => from + i)
    .filter((power) => (power - from) % every === 0);
  // If there are few decades, 2 and 5 times a power of ten are ticks, too.
  const ticks = decades <= 2
    ? powers.flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power))
      .filter((tick) => Math.log10(tick) <= to + 1e-9)
    : powers.map((power) => 10 ** power);
  return {
    ticks,
    labels: ticks.map(logLabel),
    position: (value) => (Math.log10(value) - from) / (to - from),
  };
}

function logLabel(value: number): string {
  return value >= 1e-3 && value < 1e5
    ? String(+value.toPrecision(3))
    : minus(value.toExponential(0).replace("e+", "e"));
}

/** Replaces hyphens by minus signs, which have the width of digits. */
function minus(text: string): string {
  return text.replaceAll("-", "−");
}
