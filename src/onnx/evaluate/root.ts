/** The p-th root of a sum of p-th powers; the square root to the last digit. */
export function root(sum: number, p: number): number {
  if (p === 1) return sum;
  return p === 2 ? Math.sqrt(sum) : sum ** (1 / p);
}
