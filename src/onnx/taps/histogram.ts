/**
 * Options of histograms.
 *
 * @module
 */

/** Bins of a histogram. */
export interface HistogramOptions {
  /** Number of bins, from 1 to 65536. */
  readonly bins: number;
  /**
   * Range of the bins, which all have the same width. Values outside of the range are counted in the first or the
   * last bin.
   */
  readonly range: readonly [low: number, high: number];
}

const MOST_BINS = 65536;

/** Returns the options if float32 can represent the bins; otherwise throws a RangeError. */
export function checkHistogram(options: HistogramOptions | undefined): HistogramOptions {
  if (options === undefined) {
    throw refused("the option histogram must be { bins, range }", "undefined");
  }
  const { bins, range: [low, high] } = options;
  if (!(Number.isInteger(bins) && bins >= 1 && bins <= MOST_BINS)) {
    throw refused(`bins must be an integer from 1 to ${MOST_BINS}`, `${bins}`);
  }
  const [first, last] = [Math.fround(low), Math.fround(high)];
  const [width, scale] = [Math.fround(last - first), Math.fround(bins / (high - low))];
  const isUsable = width > 0 && Number.isFinite(width) && scale > 0 && Number.isFinite(scale);
  if (isUsable) return options;
  throw refused("its range must increase, by an amount that float32 resolves", `[${low}, ${high}]`);
}

function refused(requirement: string, value: string): RangeError {
  return new RangeError(
    `Cannot compute a histogram: ${requirement}; got ${value}`,
  );
}

/** Returns the edges of the bins, in ascending order. There is one edge more than there are bins. */
export function edgesOf({ bins, range: [low, high] }: HistogramOptions): number[] {
  return Array.from({ length: bins + 1 }, (_, i) => low + i * (high - low) / bins);
}
