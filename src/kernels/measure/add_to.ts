type Reals = Float32Array | Float64Array;

/**
 * Adds `by` to values[k]. If `low` is given, low[k] accumulates the rounding error for the next addition (Kahan
 * summation).
 */
export function addTo(values: Reals, low: Reals | undefined, k: number, by: number): void {
  if (low === undefined) {
    values[k]! += by;
    return;
  }
  const term = by + low[k]!;
  const sum = values[k]! + term;
  low[k] = term - (sum - values[k]!);
  values[k] = sum;
}
