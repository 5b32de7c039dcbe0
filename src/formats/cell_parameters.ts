/**
 * Cells as lengths and angles.
 *
 * @module
 */

/** Lengths a, b, c in Å, and angles alpha, beta, gamma in degrees. */
export type CellParameters = readonly [number, number, number, number, number, number];

const DEGREE = Math.PI / 180;

/** Returns the cosine of an angle in degrees; exact for 60, 90 and 120 degrees. */
function cosine(degrees: number): number {
  if (degrees === 90) return 0;
  if (degrees === 60 || degrees === 120) return degrees === 60 ? 0.5 : -0.5;
  return Math.cos(degrees * DEGREE);
}

/**
 * Returns the lattice vectors of a cell, with a along x and b in the xy plane; `undefined` if such a cell does not
 * exist.
 */
export function cellOfParameters(parameters: CellParameters): Float64Array | undefined {
  const [a, b, c, alpha, beta, gamma] = parameters;
  if (![a, b, c].every((length) => length > 0)) return undefined;
  if (![alpha, beta, gamma].every((angle) => angle > 0 && angle < 180)) return undefined;
  const [ca, cb, cg] = [cosine(alpha), cosine(beta), cosine(gamma)];
  const sg = Math.sqrt(1 - cg * cg);
  const y = (ca - cb * cg) / sg;
  const z = 1 - cb * cb - y * y;
  if (!(z > 1e-12)) return undefined;
  return Float64Array.of(a, 0, 0, b * cg, b * sg, 0, c * cb, c * y, c * Math.sqrt(z));
}

/** Returns the lengths and angles of a cell. */
export function parametersOfCell(cell: ArrayLike<number>): CellParameters {
  const rows = [0, 3, 6].map((at) => [cell[at]!, cell[at + 1]!, cell[at + 2]!] as const);
  const [a, b, c] = rows.map((row) => Math.hypot(...row)) as [number, number, number];
  const angle = (i: number, j: number, product: number) => {
    const dot = rows[i]!.reduce((sum, x, k) => sum + x * rows[j]![k]!, 0);
    return Math.acos(Math.max(-1, Math.min(1, dot / product))) / DEGREE;
  };
  return [a, b, c, angle(1, 2, b * c), angle(0, 2, a * c), angle(0, 1, a * b)];
}
