import { invertCell } from "../cells/inverse.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  positions: "real changed",
  images: "i32 changed",
  cell: "real",
  pbc: "i32",
} as const;

/**
 * Largest distance below a face at which an atom is not wrapped, in units of the accuracy of lattice coordinates.
 * Without this margin, rounding could move an atom between two opposite faces at every step. The value is many times
 * the accuracy of float32.
 */
const EDGE = 1e-6;

/** Lattice coordinates from this absolute value on are not wrapped. */
const FAR = 2 ** 30;

const inverse = new Float64Array(9), edges = new Float64Array(3);

/**
 * Wraps atoms into their cells: x −= n h, `images` += n, with n = ⌊x h⁻¹⌋ along periodic directions and n = 0 along
 * all others. x + images · h does not change.
 *
 * - `cell` h: nine numbers per system, Å; vectors of directions that are not periodic may be zero.
 * - `pbc`: three flags per system.
 *
 * An atom stays in place if it is below a face by less than about a millionth of a lattice vector, or if its position
 * is not finite. Atoms in a cell without volume are not wrapped.
 */
export const wrapPositions: Kernel<typeof args> = defineKernel(
  "wrap_positions",
  args,
  ({ positions, images, cell, pbc }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      const isPeriodic = pbc[3 * s] !== 0 || pbc[3 * s + 1] !== 0 || pbc[3 * s + 2] !== 0;
      if (active[s] === 0 || !isPeriodic || !invertCell(cell, 9 * s, inverse)) continue;
      findEdges(cell, 9 * s);
      for (let k = 3 * offsets[s]!; k < 3 * offsets[s + 1]!; k += 3) {
        const [x, y, z] = [positions[k]!, positions[k + 1]!, positions[k + 2]!];
        for (let row = 0; row < 3; row++) {
          if (pbc[3 * s + row] === 0) continue;
          const at = x * inverse[row]! + y * inverse[3 + row]! + z * inverse[6 + row]!;
          const n = wholes(at, edges[row]!);
          if (n === 0) continue;
          images[k + row]! += n;
          for (let i = 0; i < 3; i++) positions[k + i]! -= n * cell[9 * s + 3 * row + i]!;
        }
      }
    }
  },
);

/**
 * Computes the margin of each lattice coordinate: `EDGE` times the error of the coordinate for a relative rounding
 * error of 1 in positions of the size of the cell.
 */
function findEdges(cell: Float32Array | Float64Array, at: number): void {
  for (let row = 0; row < 3; row++) {
    let sum = 0;
    for (let i = 0; i < 3; i++) {
      const reach = Math.abs(cell[at + i]!) + Math.abs(cell[at + 3 + i]!) +
        Math.abs(cell[at + 6 + i]!);
      sum += reach * Math.abs(inverse[3 * i + row]!);
    }
    edges[row] = EDGE * sum;
  }
}

/**
 * Returns the number of lattice vectors to subtract from a position with the lattice coordinate `at`. `edge` is the
 * margin below 0.
 */
function wholes(at: number, edge: number): number {
  const isInside = at >= -edge && at < 1;
  return isInside || !(Math.abs(at) < FAR) ? 0 : Math.floor(at + edge);
}
