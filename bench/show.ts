/** A number as tables show it. */
export function show(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value < 0.1 ? String(Number(value.toPrecision(3))) : value.toFixed(value < 10 ? 2 : 1);
}
