/**
 * What a histogram counts by.
 *
 * @module
 */

/** How to count elements by their size. */
export interface HistogramOptions {
  /** How many bins, from 1 to 65536. */
  readonly bins: number;
  /** From where to where they are, all of one width; what is beyond counts in the outer ones. */
  readonly range: readonly [low: number, high: number];
}

const MOST_BINS = 65536;

/** The options, if float32 can count by them; otherwise throws a RangeError. */
export function checkHistogram(options: HistogramOptions | undefined): HistogramOptions {
  if (options === undefined) throw refused("it must have bins and a range", "undefined");
  const { bins, range: [low, high] } = options;
  if (!(Number.isInteger(bins) && bins >= 1 && bins <= MOST_BINS)) {
    throw refused(`bins must be a whole number from 1 to ${MOST_BINS}`, `${bins}`);
  }
  const [first, last] = [Math.fround(low), Math.fround(high)];
  const [width, scale] = [Math.fround(last - first), Math.fround(bins / (high - low))];
  const isUsable = width > 0 && Number.isFinite(width) && scale > 0 && Number.isFinite(scale);
  if (isUsable) return options;
  throw refused("its range must be from a number to a larger one", `[${low}, ${high}]`);
}

function refused(requirement: string, value: string): RangeError {
  return new RangeError(
    `Cannot compute a histogram as ${requirement}: current value is ${value}`,
  );
}

/** Where the bins end, one more than there are. */
export function edgesOf({ bins, range: [low, high] }: HistogramOptions): number[] {
  return Array.from({ length: bins + 1 }, (_, i) => low + i * (high - low) / bins);
}
