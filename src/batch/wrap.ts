/**
 * Wrapping and unwrapping of positions.
 *
 * @module
 */

import type { Batch } from "./batch.ts";
import { invertCell } from "./cell.ts";

/**
 * Distance outside a face of the cell, in units of the lattice vector, up to which an atom is not wrapped. It exceeds
 * the rounding error.
 */
const EDGE = 5e-13;

/**
 * Largest number of passes. A second pass moves atoms that rounding has left outside the cell; no position needs more
 * than three.
 */
const PASSES = 3;

/**
 * Moves each atom into its cell, in place, by lattice translations along the periodic directions. The field `images`
 * counts the translations, so that position + images · cell does not change.
 *
 * The function subtracts only whole lattice vectors, so it works for triclinic cells with any periodicity. Systems
 * without periodic directions do not change. A second call changes nothing.
 *
 * @throws {Error} if an engine holds the positions
 *
 * @example
 *
 * ```ts
 * import { Batch, unwrappedPositions, wrapPositions } from "@hooke/hooke/batch";
 * import { assertEquals } from "@std/assert";
 *
 * const batch = Batch.from([{ symbols: ["Ar"], positions: [12, -1, 5], cell: [10, 10, 10] }]);
 * wrapPositions(batch);
 * assertEquals([...batch.get("positions")], [2, 9, 5]);
 * assertEquals([...batch.get("images")], [1, -1, 0]);
 * assertEquals([...unwrappedPositions(batch)], [12, -1, 5]);
 * ```
 */
export function wrapPositions(batch: Batch): void {
  const positions = batch.get("positions");
  const images = batch.ensure("images");
  const [cells, pbcs] = [batch.get("cell"), batch.get("pbc")];
  for (let system = 0; system < batch.size; system++) {
    const cell = cells.subarray(9 * system, 9 * system + 9);
    const pbc = pbcs.subarray(3 * system, 3 * system + 3);
    if (pbc.every((flag) => flag === 0)) continue;
    const [from, to] = [3 * batch.nodeOffsets[system]!, 3 * batch.nodeOffsets[system + 1]!];
    wrapSystem(positions.subarray(from, to), images.subarray(from, to), cell, pbc);
  }
}

/** Wraps the atoms of one system, in place, and updates their image counters. */
function wrapSystem(
  positions: Float64Array,
  images: Int32Array,
  cell: Float64Array,
  pbc: Uint8Array,
): void {
  const inverse = invertCell(cell);
  for (let at = 0; at < positions.length; at += 3) {
    for (let pass = 0; pass < PASSES; pass++) {
      const [x, y, z] = [positions[at]!, positions[at + 1]!, positions[at + 2]!];
      let moved = false;
      for (let k = 0; k < 3; k++) {
        if (pbc[k] === 0) continue;
        const whole = wholeOf(x * inverse[k]! + y * inverse[3 + k]! + z * inverse[6 + k]!);
        if (whole === 0) continue;
        moved = true;
        images[at + k] = images[at + k]! + whole;
        for (let i = 0; i < 3; i++) {
          positions[at + i] = positions[at + i]! - whole * cell[3 * k + i]!;
        }
      }
      if (!moved) break;
    }
  }
}

/**
 * Returns ⌊f⌋, or 0 if f is below 0 only by rounding. Without this tolerance, an atom at a face would move to the
 * opposite face at every call.
 */
function wholeOf(f: number): number {
  return Math.floor(f + EDGE);
}

/**
 * Returns the positions before wrapping, in a new array: position + images · cell, Å, three per atom. The difference
 * between two times is the displacement of each atom.
 *
 * @throws {Error} if an engine holds the positions
 *
 * @example
 * ```ts
 * import { Batch, unwrappedPositions, wrapPositions } from "@hooke/hooke/batch";
 * import { assertEquals } from "@std/assert";
 *
 * const cell = [10, 0, 0, 0, 10, 0, 0, 0, 10];
 * const batch = Batch.from([{ symbols: ["Ar"], positions: [12, 1, 1], cell, pbc: true }]);
 * wrapPositions(batch);
 * assertEquals([...batch.get("positions")], [2, 1, 1]);
 * assertEquals([...unwrappedPositions(batch)], [12, 1, 1]);
 * ```
 */
export function unwrappedPositions(batch: Batch): Float64Array {
  const positions = batch.get("positions").slice();
  if (!batch.has("images")) return positions;
  const [images, cells, systems] = [batch.get("images"), batch.get("cell"), batch.systemOfNode];
  for (let node = 0; node < batch.nodeCount; node++) {
    const cell = 9 * systems[node]!;
    for (let k = 0; k < 3; k++) {
      const whole = images[3 * node + k]!;
      if (whole === 0) continue;
      for (let i = 0; i < 3; i++) {
        positions[3 * node + i] = positions[3 * node + i]! + whole * cells[cell + 3 * k + i]!;
      }
    }
  }
  return positions;
}
