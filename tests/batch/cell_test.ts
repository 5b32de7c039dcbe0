import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  Batch,
  cellVolume,
  invertCell,
  unwrappedPositions,
  wrapPositions,
} from "../../src/batch/mod.ts";

/** Cells far from flat, of either handedness. */
const cells = fc.tuple(
  fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 9, maxLength: 9 }),
  fc.boolean(),
).map(([offset, left]) =>
  offset.map((x, i) => x + (i % 4 === 0 ? 9 : 0)).map((x, i) => left && i > 5 ? -x : x)
);

Deno.test("cellVolume() is the determinant's size, for either handedness", () => {
  assertEquals(cellVolume([1, 2, 3, 0, 4, 5, 0, 0, 6]), 24);
  assertEquals(cellVolume([1, 2, 3, 0, 4, 5, 0, 0, -6]), 24);
  assertEquals(cellVolume(new Float64Array(9)), 0);
});

Deno.test("invertCell() times the cell is one, for triclinic cells of either handedness", () => {
  fc.assert(fc.property(cells, (cell) => {
    const inverse = invertCell(cell);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        let sum = 0;
        for (let k = 0; k < 3; k++) sum += cell[3 * i + k]! * inverse[3 * k + j]!;
        assertAlmostEquals(sum, i === j ? 1 : 0, 1e-12);
      }
    }
  }));
});

Deno.test("invertCell() takes vectors that are zero as perpendicular ones of length 1", () => {
  assertEquals([...invertCell(new Float64Array(9))], [1, 0, 0, 0, 1, 0, 0, 0, 1]);
  // a = 2x, c = 4(x + z)/√2: the missing b is along y.
  const inverse = invertCell([2, 0, 0, 0, 0, 0, 3, 0, 3]);
  assertEquals(Math.abs(inverse[4]!), 1);
  // One vector along (1, 1, 1): its own fractional coordinate is 1.
  const one = invertCell([0, 0, 0, 2, 2, 2, 0, 0, 0]);
  assertAlmostEquals(2 * one[1]! + 2 * one[4]! + 2 * one[7]!, 1, 1e-14);
  assertThrows(() => invertCell([1, 0, 0, 2, 0, 0, 0, 0, 1]), RangeError, "span a volume");
});

Deno.test("wrapPositions() takes off whole vectors along periodic directions only, in a triclinic cell", () => {
  // By hand: b leans over x. Fractional coordinates of (0.5, 9, 7): b 9/4 = 2.25, a (0.5 - 2.25 * 2) / 5 = -0.8.
  const batch = Batch.from([{
    symbols: ["Ar"],
    positions: [0.5, 9, 7],
    cell: [5, 0, 0, 2, 4, 0, 0, 0, 3],
    pbc: [true, true, false],
  }]);
  wrapPositions(batch);
  assertEquals([...batch.get("images")], [-1, 2, 0]);
  assertEquals([...batch.get("positions")], [0.5 + 5 - 4, 1, 7]);
  assertEquals([...unwrappedPositions(batch)], [0.5, 9, 7]);
});

Deno.test("wrapPositions() puts every atom into its cell, keeps where it was, and changes nothing again", () => {
  const flags = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean());
  const position = fc.double({ min: -1e3, max: 1e3, noNaN: true });
  const points = fc.array(fc.tuple(position, position, position), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(cells, flags, points, (cell, pbc, positions) => {
      const symbols = positions.map(() => "Ar");
      const batch = Batch.from([{ symbols, positions, cell, pbc }]);
      wrapPositions(batch);
      const inverse = invertCell(cell);
      const wrapped = batch.get("positions").slice();
      for (let i = 0; i < wrapped.length; i++) {
        const [at, k] = [i - i % 3, i % 3];
        let f = 0;
        for (let j = 0; j < 3; j++) f += wrapped[at + j]! * inverse[3 * j + k]!;
        if (pbc[k]) assertEquals(f > -1e-12 && f < 1 + 1e-12, true, `fraction ${f}`);
        else assertEquals(batch.get("images")[i], 0);
      }
      const before = unwrappedPositions(batch);
      for (const [i, x] of positions.flat().entries()) assertAlmostEquals(before[i]!, x, 1e-9);
      const images = batch.get("images").slice();
      wrapPositions(batch);
      assertEquals(batch.get("positions"), wrapped);
      assertEquals(batch.get("images"), images);
    }),
    { numRuns: 500 },
  );
});

Deno.test("wrapPositions() leaves an atom a rounding error below a face where it is", () => {
  const batch = Batch.from([{ symbols: ["Ar"], positions: [-1e-20, 10, 0], cell: [10, 10, 10] }]);
  wrapPositions(batch);
  assertEquals([...batch.get("positions")], [-1e-20, 0, 0]);
  assertEquals([...batch.get("images")], [0, 1, 0]);
});
