/**
 * Structures on which written models are checked.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import { System } from "../../batch/system.ts";
import { rattle } from "../../batch/crystal.ts";
import type { OnnxManifest } from "../../models/onnx/manifest/manifest.ts";

/** Distance of neighboring atoms in built structures, Å. */
const SPACING = 2.2;

/** Standard deviation of the displacements of atoms from their lattice points, Å. */
const DISPLACEMENT = 0.12;

/** Elements that are tried if a model does not state its elements. */
const COMMON: readonly string[] = ["H", "C", "O", "Si", "Ar", "Cu"];

/**
 * Yields structures of 8 atoms whose elements the model may know: in a periodic box first, because a strain changes
 * it, then without a box.
 */
export function* builtStructures(manifest: OnnxManifest): Generator<System, void> {
  const { elements = [] } = manifest;
  const known = Array.isArray(elements) ? elements as string[] : Object.keys(elements);
  const mixed = known.length > 0 ? [known.slice(0, 3)] : COMMON.map((symbol) => [symbol]);
  for (const symbols of mixed) {
    yield cube(symbols, true);
    yield cube(symbols, false);
  }
}

function cube(kinds: readonly string[], isPeriodic: boolean): System {
  const symbols: string[] = [], positions: number[] = [];
  for (let i = 0; i < 8; i++) {
    symbols.push(kinds[i % kinds.length]!);
    positions.push((i & 1) * SPACING, (i >> 1 & 1) * SPACING, (i >> 2 & 1) * SPACING);
  }
  const edge = 2 * SPACING;
  const box = { cell: [edge, 0, 0, 0, edge, 0, 0, 0, edge], pbc: true };
  return rattle(new System({ symbols, positions, ...isPeriodic && box }), DISPLACEMENT, 1);
}

/**
 * Returns the structure with its atoms moved by `amount` times `moves`, and then strained by `amount` times the
 * symmetric matrix `strain`: every vector r, of the cell too, becomes r + r·ε.
 */
export function deformed(
  system: System,
  amount: number,
  { moves, strain }: { readonly moves: readonly number[]; readonly strain: readonly number[] },
): Batch {
  const positions = Array.from(system.positions, (x, i) => x + amount * moves[i]!);
  const strained = (rows: ArrayLike<number>) =>
    Array.from(rows, (x, i) => {
      const row = i - i % 3, column = i % 3;
      return x + amount * [0, 1, 2].reduce(
            (sum, k) => sum + rows[row + k]! * strain[3 * k + column]!,
            0,
          );
    });
  const batch = Batch.from([system]);
  batch.set("positions", strained(positions));
  batch.set("cell", strained(system.cell));
  return batch;
}
