type Reals = Float32Array | Float64Array;

/** values[k] += by; what rounding takes off is kept in `low` for the next time (Kahan's sum), where there is one. */
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
