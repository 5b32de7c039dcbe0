/** Returns the p-th root of a sum of p-th powers. The square root is correctly rounded. */
export function root(sum: number, p: number): number {
  if (p === 1) return sum;
  return p === 2 ? Math.sqrt(sum) : sum ** (1 / p);
}
