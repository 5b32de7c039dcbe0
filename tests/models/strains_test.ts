/**
 * Stresses of models with anchor points, compared with strains that move these, too; and sums compared with
 * their parts.
 */
import { assertAlmostEquals } from "@std/assert";
import { cellVolume, fcc, rattle, System } from "../../src/batch/mod.ts";
import {
  centerBias,
  harmonicBonds,
  type Model,
  morse,
  sum,
  tethers,
} from "../../src/models/mod.ts";
import { assertNear, evaluate } from "../dynamics/atoms.ts";

/** Twelve atoms of two elements in a skewed, left-handed cell, some of them outside it. */
function skewed(): System {
  const plain = rattle(fcc({ element: "Ar", a: 5.3, cells: [3, 1, 1] }), 0.25, 4);
  const cell = [0.9, 5.2, 0.2, 15.9, 0.3, -0.7, 0.4, -0.5, 5.6];
  const positions = plain.positions.slice();
  for (let i = 0; i < 36; i += 3) positions[i]! += i === 9 ? 40 : 0;
  const symbols = Array.from({ length: 12 }, (_, i) => i % 3 === 0 ? "Kr" : "Ar");
  return new System({ symbols, positions, cell });
}

function copy(system: System, positions: ArrayLike<number>, cell?: ArrayLike<number>): System {
  const { numbers } = system;
  const own = cell ?? (system.cell.some((x) => x !== 0) ? system.cell : undefined);
  return new System({
    numbers,
    positions: Float64Array.from(positions),
    ...(own && { cell: Float64Array.from(own) }),
  });
}

/** x ↦ x M, row by row. */
function times(rows: ArrayLike<number>, matrix: ArrayLike<number>): number[] {
  return Array.from({ length: rows.length }, (_, at) => {
    const [row, column] = [at - at % 3, at % 3];
    return rows[row]! * matrix[column]! + rows[row + 1]! * matrix[3 + column]! +
      rows[row + 2]! * matrix[6 + column]!;
  });
}

/** Models whose anchor points move with a strain. */
const STRAINED: Readonly<Record<string, (point: number[]) => Model>> = {
  "tethers": (point) => tethers({ stiffness: 0.7, anchors: point }),
  "a bias on the center of mass": (point) => centerBias({ stiffness: 3, center: point }),
};

for (const [name, modelTo] of Object.entries(STRAINED)) {
  Deno.test(`stress is the derivative of the energy by strain: ${name}`, async () => {
    const system = skewed();
    const h = 1e-5;
    const point = [1, 2, 3];
    const { stress } = await evaluate(modelTo(point), [system]);
    const volume = cellVolume(system.cell);
    const scale = Math.max(...stress.map(Math.abs));
    for (let k = 0; k < 9; k++) {
      const [more, less] = await Promise.all([h, -h].map(async (e) => {
        const strain = [1, 0, 0, 0, 1, 0, 0, 0, 1];
        strain[k]! += e;
        const strained = copy(
          system,
          times(system.positions, strain),
          times(system.cell, strain),
        );
        return (await evaluate(modelTo(times(point, strain)), [strained])).energy[0]!;
      }));
      assertAlmostEquals((more! - less!) / (2 * h * volume), stress[k]!, 1e-6 * scale);
    }
  });
}

Deno.test("a sum has the energies, forces and stresses of its parts", async () => {
  const one = morse({ depth: 0.3, width: 1.1, distance: 3.5, cutoff: 7.9 });
  const other = harmonicBonds([{ atoms: [0, 1], length: 3, stiffness: 2 }]);
  const [a, b] = [await evaluate(one, [skewed()]), await evaluate(other, [skewed()])];
  const both = await evaluate(sum(one, other), [skewed()]);
  for (const key of ["energy", "forces", "stress"] as const) {
    const expected = a[key].map((value, i) => value + b[key][i]!);
    assertNear(both[key], expected, 1e-12, Math.max(...expected.map(Math.abs)));
  }
});
