/** Returns the p-th root of a sum of p-th powers. For p = 2, the result is correctly rounded. */
export function root(sum: number, p: number): number {
  if (p === 1) return sum;
  return p === 2 ? Math.sqrt(sum) : sum ** (1 / p);
}
