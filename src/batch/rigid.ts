/**
 * Motion of a system as a whole: translation and rotation.
 *
 * @module
 */

/** The atoms of one system, as views of a batch's arrays. */
export interface Body {
  /** Positions, Å, three per atom. */
  readonly positions: Float64Array;
  /** Velocities, three per atom, in any unit. */
  readonly velocities: Float64Array;
  /** Masses, one per atom, in any unit. */
  readonly masses: Float64Array;
}

/**
 * Ratio of the smallest to the largest moment of inertia below which the smallest is treated as zero, as for a linear
 * molecule.
 */
const LINEAR = 1e-10;

/** Returns the mean over all atoms of three values per atom, weighted by mass. */
function weightedMean({ masses }: Body, values: Float64Array): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  let total = 0;
  for (let atom = 0; atom < masses.length; atom++) {
    const m = masses[atom]!;
    total += m;
    for (let k = 0; k < 3; k++) sum[k] = sum[k]! + m * values[3 * atom + k]!;
  }
  return [sum[0] / total, sum[1] / total, sum[2] / total];
}

/** Subtracts the velocity of the center of mass from all atoms, in place. */
export function stopDrift(body: Body): void {
  const { masses, velocities } = body;
  const drift = weightedMean(body, velocities);
  for (let i = 0; i < 3 * masses.length; i++) velocities[i] = velocities[i]! - drift[i % 3]!;
}

/**
 * Removes the rotation about the center of mass from all velocities, in place: v − ω × r with ω = I⁻¹ L.
 *
 * @returns number of axes about which the system can rotate: 3, or 2 for a linear molecule, or 0 for a single atom
 */
export function stopRotation(body: Body): number {
  const { masses, positions, velocities } = body;
  // The computed center of mass of a single atom differs from its position by rounding, which would look like a
  // rotation.
  if (masses.length === 1) return 0;
  const center = weightedMean(body, positions);
  const inertia = new Float64Array(9);
  const momentum: [number, number, number] = [0, 0, 0];
  for (let atom = 0; atom < masses.length; atom++) {
    const m = masses[atom]!;
    const [x, y, z] = relative(positions, atom, center);
    const [u, v, w] = [velocities[3 * atom]!, velocities[3 * atom + 1]!, velocities[3 * atom + 2]!];
    momentum[0] += m * (y * w - z * v);
    momentum[1] += m * (z * u - x * w);
    momentum[2] += m * (x * v - y * u);
    addInertia(inertia, m, x, y, z);
  }
  const { moments, axes } = eigen(inertia);
  const largest = Math.max(...moments);
  const turns = [0, 1, 2].filter((k) => moments[k]! > LINEAR * largest);
  const omega: [number, number, number] = [0, 0, 0];
  for (const k of turns) {
    const axis = [axes[k]!, axes[3 + k]!, axes[6 + k]!] as const;
    const rate = dot(axis, momentum) / moments[k]!;
    for (let i = 0; i < 3; i++) omega[i] = omega[i]! + rate * axis[i]!;
  }
  for (let atom = 0; atom < masses.length; atom++) {
    const [x, y, z] = relative(positions, atom, center);
    const at = 3 * atom;
    velocities[at] = velocities[at]! - (omega[1] * z - omega[2] * y);
    velocities[at + 1] = velocities[at + 1]! - (omega[2] * x - omega[0] * z);
    velocities[at + 2] = velocities[at + 2]! - (omega[0] * y - omega[1] * x);
  }
  return turns.length;
}

type Vector = readonly [number, number, number];

function relative(positions: Float64Array, atom: number, center: Vector): Vector {
  const at = 3 * atom;
  return [
    positions[at]! - center[0],
    positions[at + 1]! - center[1],
    positions[at + 2]! - center[2],
  ];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function addInertia(inertia: Float64Array, m: number, x: number, y: number, z: number): void {
  const parts = [
    y * y + z * z,
    -x * y,
    -x * z,
    -x * y,
    x * x + z * z,
    -y * z,
    -x * z,
    -y * z,
    x * x + y * y,
  ];
  for (let i = 0; i < 9; i++) inertia[i] = inertia[i]! + m * parts[i]!;
}

/** Returns the eigenvalues of a symmetric 3×3 matrix, and its eigenvectors as columns. It uses Jacobi rotations. */
function eigen(matrix: Float64Array): { moments: number[]; axes: Float64Array } {
  const a = matrix.slice();
  const axes = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  for (let sweep = 0; sweep < 32; sweep++) {
    const off = a[1]! ** 2 + a[2]! ** 2 + a[5]! ** 2;
    if (off <= 1e-34 * (a[0]! ** 2 + a[4]! ** 2 + a[8]! ** 2)) break;
    rotate(a, axes, 0, 1);
    rotate(a, axes, 0, 2);
    rotate(a, axes, 1, 2);
  }
  return { moments: [a[0]!, a[4]!, a[8]!], axes };
}

/** Applies the Jacobi rotation that makes the element in row `p` and column `q` zero. */
function rotate(a: Float64Array, axes: Float64Array, p: number, q: number): void {
  const apq = a[3 * p + q]!;
  if (apq === 0) return;
  const theta = (a[4 * q]! - a[4 * p]!) / (2 * apq);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1), s = t * c;
  turnColumns(a, p, q, c, s);
  for (let k = 0; k < 3; k++) {
    const [x, y] = [a[3 * p + k]!, a[3 * q + k]!];
    a[3 * p + k] = c * x - s * y;
    a[3 * q + k] = s * x + c * y;
  }
  turnColumns(axes, p, q, c, s);
}

function turnColumns(m: Float64Array, p: number, q: number, c: number, s: number): void {
  for (let k = 0; k < 3; k++) {
    const [x, y] = [m[3 * k + p]!, m[3 * k + q]!];
    m[3 * k + p] = c * x - s * y;
    m[3 * k + q] = s * x + c * y;
  }
}
