/**
 * Linear least squares with few unknowns.
 *
 * @module
 */

/** Singular values below this fraction of the largest one count as 0. */
const RANK = 1e-10;

/**
 * Returns the x that minimizes Σ (A x − b)² + ridge · Σ x². If there are several minima, as with ridge 0 and linearly
 * dependent columns, it returns the shortest x.
 *
 * One-sided Jacobi rotations (G. Golub, C. Van Loan, Matrix Computations, 8.6.3) make the columns of A orthogonal: A
 * V = U S. Unlike the normal equations, they do not square the condition number of A.
 *
 * @param columns the columns of A
 */
export function leastSquares(
  columns: readonly Float64Array[],
  b: Float64Array,
  ridge: number,
): Float64Array {
  const { rotated, basis } = orthogonalized(columns);
  const norms = rotated.map((column) => dot(column, column));
  const least = RANK ** 2 * Math.max(0, ...norms);
  const x = new Float64Array(columns.length);
  const rest = b.slice();
  // The second round corrects the rounding errors of the first.
  for (let round = 0; round < 2; round++) {
    for (const [k, column] of rotated.entries()) {
      if (norms[k]! <= least) continue;
      const share = (dot(column, rest) - ridge * dot(basis[k]!, x)) / (norms[k]! + ridge);
      for (let e = 0; e < x.length; e++) x[e]! += share * basis[k]![e]!;
      for (let i = 0; i < rest.length; i++) rest[i]! -= share * column[i]!;
    }
  }
  return x;
}

/**
 * Rotates the columns of a matrix until they are orthogonal. The columns of `basis` are those of the rotation matrix
 * V.
 */
function orthogonalized(columns: readonly Float64Array[]): {
  readonly rotated: readonly Float64Array[];
  readonly basis: readonly Float64Array[];
} {
  const rotated = columns.map((column) => column.slice());
  const basis = columns.map((_, k) => Float64Array.from(columns, (_, e) => e === k ? 1 : 0));
  // Jacobi's method converges quadratically, so about ten sweeps suffice; 60 only bounds the loop.
  for (let sweep = 0, turned = true; turned && sweep < 60; sweep++) {
    turned = false;
    for (let p = 0; p < rotated.length; p++) {
      for (let q = p + 1; q < rotated.length; q++) {
        const [a, c] = [rotated[p]!, rotated[q]!];
        const [aa, cc, ac] = [dot(a, a), dot(c, c), dot(a, c)];
        if (Math.abs(ac) <= 1e-15 * Math.sqrt(aa * cc)) continue;
        turned = true;
        const zeta = (cc - aa) / (2 * ac);
        const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
        const cosine = 1 / Math.hypot(1, t), sine = cosine * t;
        rotate(a, c, cosine, sine);
        rotate(basis[p]!, basis[q]!, cosine, sine);
      }
    }
  }
  return { rotated, basis };
}

function rotate(a: Float64Array, c: Float64Array, cosine: number, sine: number): void {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, c[i]!];
    a[i] = cosine * x - sine * y;
    c[i] = sine * x + cosine * y;
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
