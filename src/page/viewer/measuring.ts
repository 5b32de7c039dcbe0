/**
 * Distances, angles and dihedral angles, by the nearest images of atoms.
 *
 * @module
 */

import type { Lattice } from "./bonds.ts";
import { combined, cross, dot, minus, norm, plus, unit, type Vector } from "./vector.ts";

/** A measured value. */
export interface Measurement {
  /** Meaning of the value, which the number of points decides. */
  readonly kind: "distance" | "angle" | "dihedral";
  /** Length in Å, or angle in degrees. Dihedral angles are between −180 and 180. */
  readonly value: number;
}

/** Returns the shortest vector between two points of a periodic structure. */
export function nearestVector(from: Vector, to: Vector, lattice: Lattice | undefined): Vector {
  const plain = minus(to, from);
  if (lattice === undefined) return plain;
  const { cell, inverse, pbc } = lattice;
  const turns = [0, 1, 2].map((k) => {
    const fraction = plain[0] * inverse[k]! + plain[1] * inverse[3 + k]! +
      plain[2] * inverse[6 + k]!;
    return pbc[k] ? -Math.round(fraction) : 0;
  });
  // In skewed cells, the nearest image may be next to the one with the smallest fractions.
  const around = (k: number) => pbc[k] ? [-1, 0, 1] : [0];
  let best = plain, least = Infinity;
  for (const a of around(0)) {
    for (const b of around(1)) {
      for (const c of around(2)) {
        const shift = combined(cell, [turns[0]! + a, turns[1]! + b, turns[2]! + c]);
        const vector = plus(plain, shift), length = norm(vector);
        if (length >= least) continue;
        [best, least] = [vector, length];
      }
    }
  }
  return best;
}

/**
 * Measures along a chain of two, three or four points: distance, angle or dihedral angle; undefined for other numbers
 * of points. The sign of dihedral angles is that of IUPAC: positive if the front bond turns clockwise.
 */
export function measure(
  points: readonly Vector[],
  lattice: Lattice | undefined,
): Measurement | undefined {
  const [a, b, c] = points.slice(1).map((point, i) => nearestVector(points[i]!, point, lattice));
  if (points.length === 2) return { kind: "distance", value: norm(a!) };
  if (points.length === 3) {
    return { kind: "angle", value: degrees(angle(plus([0, 0, 0], a!, -1), b!)) };
  }
  if (points.length !== 4) return undefined;
  const first = cross(a!, b!), second = cross(b!, c!);
  const value = Math.atan2(dot(cross(first, second), unit(b!)), dot(first, second));
  return { kind: "dihedral", value: degrees(value) };
}

/** Returns a measurement as text with its unit. */
export function measurementText({ kind, value }: Measurement): string {
  return kind === "distance" ? `${value.toFixed(3)} Å` : `${value.toFixed(1)}°`;
}

function angle(a: Vector, b: Vector): number {
  return Math.atan2(norm(cross(a, b)), dot(a, b));
}

function degrees(radians: number): number {
  return radians * 180 / Math.PI;
}
