import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { findBonds, latticeOf, wrappedPositions } from "../../../src/page/viewer/bonds.ts";
import {
  angstromPerPixel,
  cameraOf,
  lookingAlong,
  orbited,
  panned,
  projection,
  rolled,
  zoomed,
} from "../../../src/page/viewer/camera.ts";
import { measure, nearestVector } from "../../../src/page/viewer/measuring.ts";
import { pickAtom } from "../../../src/page/viewer/picking.ts";
import { FIRST_LOOK, shapesOf } from "../../../src/page/viewer/scene.ts";
import { quaternionOf, rowsOf, turnAbout, type Vector } from "../../../src/page/viewer/vector.ts";
import type { ViewerFrame } from "../../../src/page/protocol.ts";

const SIZE = { width: 400, height: 200 };
const FROM_Z = lookingAlong(cameraOf([0, 0, 0], 10), [0, 0, 1], [0, 1, 0]);

/** A skewed cell. */
const SKEWED = Float32Array.of(6, 0, 0, 2, 5, 0, -1, 1.5, 7);

function frameOf(
  numbers: number[],
  positions: number[],
  cell?: Float32Array,
  pbc?: [boolean, boolean, boolean],
): ViewerFrame {
  return {
    numbers: Uint8Array.from(numbers),
    positions: Float32Array.from(positions),
    ...(cell && { cell }),
    ...(pbc && { pbc }),
  };
}

function assertNear(
  actual: readonly number[],
  expected: readonly number[],
  tolerance = 1e-6,
): void {
  assertEquals(actual.length, expected.length);
  actual.forEach((x, i) => assertAlmostEquals(x, expected[i]!, tolerance));
}

Deno.test("looking along z, x is right and y is up, and the nearer edge is as far as the camera reaches", () => {
  const project = projection(FROM_Z, SIZE), scale = 1 / angstromPerPixel(FROM_Z, SIZE);
  assertAlmostEquals(scale, 100 / FROM_Z.reach);
  assertNear(project([1, 2, 3]), [200 + scale, 100 - 2 * scale, 3]);
});

Deno.test("a drag moves what is in front with the pointer, and a pan moves everything", () => {
  const front = projection(orbited(FROM_Z, 10, -6, SIZE), SIZE)([0, 0, 5]);
  assert(front[0] > 200 && front[1] < 100);
  const behind = projection(orbited(FROM_Z, 10, -6, SIZE), SIZE)([0, 0, -5]);
  assert(behind[0] < 200 && behind[1] > 100);
  assertNear(projection(panned(FROM_Z, 10, -6, SIZE), SIZE)([0, 0, 5]).slice(0, 2), [210, 94]);
});

Deno.test("zooming keeps the point below the pointer, and rolling keeps lengths", () => {
  const at = [310, 40] as const, pixel = angstromPerPixel(FROM_Z, SIZE);
  const point: Vector = [110 * pixel, 60 * pixel, 0];
  const near = zoomed(FROM_Z, 1.7, at, SIZE);
  assertNear(projection(near, SIZE)(point).slice(0, 2), [310, 40]);
  assertAlmostEquals(near.reach, FROM_Z.reach / 1.7);
  const [x, y] = projection(rolled(FROM_Z, Math.PI / 2), SIZE)([1, 0, 0]);
  assertNear([x - 200, 100 - y], [0, 1 / pixel]);
});

Deno.test("a rotation is the same as a quaternion and as a matrix", () => {
  for (
    const [axis, angle] of [[[1, 2, 3], 2.9], [[0, 0, 1], Math.PI], [[1, 0, 0], 3.1], [
      [0, -1, 0.1],
      3,
    ]] as const
  ) {
    const rows = rowsOf(turnAbout(axis, angle));
    assertNear(rowsOf(quaternionOf(rows)).flat(), rows.flat());
  }
});

Deno.test("known bonds: water has two, argon none, diamond four per atom across the faces of its cell", () => {
  const water = frameOf([8, 1, 1], [0, 0, 0, 0.76, 0.59, 0, -0.76, 0.59, 0]);
  assertEquals([...findBonds(water.numbers, water.positions, undefined).atoms], [0, 0, 1, 2]);
  const argon = frameOf([18, 18], [0, 0, 0, 3.8, 0, 0]);
  assertEquals(findBonds(argon.numbers, argon.positions, undefined).atoms.length, 0);
  const half = 3.57 / 2;
  const cell = Float32Array.of(0, half, half, half, 0, half, half, half, 0);
  const diamond = frameOf([6, 6], [0, 0, 0, half / 2, half / 2, half / 2], cell);
  const { atoms, vectors } = findBonds(diamond.numbers, diamond.positions, latticeOf(diamond));
  assertEquals([...atoms], [0, 0, 0, 0, 1, 1, 1, 1]);
  for (let b = 0; b < 8; b++) {
    assertAlmostEquals(Math.hypot(...vectors.subarray(3 * b, 3 * b + 3)), 1.5459, 1e-3);
  }
});

Deno.test("bonds found in boxes are those of all pairs and images, in skewed cells and with one periodic direction", () => {
  let state = 7;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  for (
    const pbc of [[true, true, true], [true, false, false], [false, false, false]] as [
      boolean,
      boolean,
      boolean,
    ][]
  ) {
    const positions = Array.from({ length: 90 }, () => random() * 9);
    const frame = frameOf(
      Array.from({ length: 30 }, () => [1, 6, 8, 14][random() * 4 | 0]!),
      positions,
      SKEWED,
      pbc,
    );
    const lattice = latticeOf(frame)!, inside = wrappedPositions(frame.positions, lattice);
    const { atoms, vectors } = findBonds(frame.numbers, inside, lattice);
    const found = Array.from(
      atoms,
      (i, b) => `${i} ${Array.from(vectors.subarray(3 * b, 3 * b + 3), (x) => x.toFixed(3))}`,
    );
    assertEquals(found.toSorted(), allBonds(frame.numbers, inside, SKEWED, pbc).toSorted());
    assert(found.length > 20);
  }
});

function allBonds(
  numbers: Uint8Array,
  at: Float32Array,
  cell: Float32Array,
  pbc: boolean[],
): string[] {
  const radii: Record<number, number> = { 1: 0.31, 6: 0.76, 8: 0.66, 14: 1.11 };
  const range = (k: number) => pbc[k] ? [-2, -1, 0, 1, 2] : [0];
  const bonds: string[] = [];
  for (const [i, a] of numbers.entries()) {
    for (const [j, b] of numbers.entries()) {
      for (const x of range(0)) {
        for (const y of range(1)) {
          for (const z of range(2)) {
            const v = [0, 1, 2].map((k) =>
              at[3 * j + k]! - at[3 * i + k]! + x * cell[k]! + y * cell[3 + k]! + z * cell[6 + k]!
            );
            const length = Math.hypot(...v);
            if (length >= 0.3 && length <= radii[a]! + radii[b]! + 0.4) {
              bonds.push(`${i} ${v.map((c) => c.toFixed(3))}`);
            }
          }
        }
      }
    }
  }
  return bonds;
}

Deno.test("damaged structures are drawn as far as they go: atoms at NaN, far apart, and in flat cells", () => {
  const flat = frameOf(
    [6, 6, 6],
    [0, 0, 0, 1.4, 0, 0, NaN, 0, 1e9],
    Float32Array.of(5, 0, 0, 10, 0, 0, 0, 0, 1),
  );
  const shapes = shapesOf(flat, FIRST_LOOK);
  assertEquals(shapes.lattice, undefined);
  assertEquals(shapes.owners.length, 2);
  assert(Number.isFinite(shapes.radius));
  assertThrows(
    () => shapesOf(frameOf([6], [0, 0, 0], SKEWED), { ...FIRST_LOOK, repeat: [200, 200, 200] }),
    RangeError,
    "at most",
  );
});

Deno.test("atoms are balls on sticks, and spheres that touch in structures without bonds", () => {
  const radii = (numbers: number[], at: number[]) => {
    const { spheres } = shapesOf(frameOf(numbers, at), FIRST_LOOK);
    return [3, 7].map((i) => spheres[i]!);
  };
  assertNear(radii([8, 1], [0, 0, 0, 0.96, 0, 0]), [0.45 * 0.66, 0.45 * 0.31]);
  assertNear(radii([18, 18], [0, 0, 0, 3.8, 0, 0]), [1.06, 1.06]);
});

Deno.test("images repeat along periodic directions alone", () => {
  const frame = frameOf([6], [0, 0, 0], SKEWED, [true, false, true]);
  const { offsets } = shapesOf(frame, { ...FIRST_LOOK, repeat: [2, 3, 2] });
  assertEquals(Array.from({ length: 4 }, (_, i) => [...offsets.subarray(4 * i, 4 * i + 3)]), [
    [0, 0, 0],
    [-1, 1.5, 7],
    [6, 0, 0],
    [5, 1.5, 7],
  ]);
});

Deno.test("distance, angle and dihedral angle of known structures, by the nearest images", () => {
  const angle = 104.5 * Math.PI / 180;
  const water: Vector[] = [[0.96, 0, 0], [0, 0, 0], [
    0.96 * Math.cos(angle),
    0.96 * Math.sin(angle),
    0,
  ]];
  assertAlmostEquals(measure(water.slice(0, 2), undefined)!.value, 0.96);
  assertAlmostEquals(measure(water, undefined)!.value, 104.5);
  // Hydrogen peroxide: the front bond turns clockwise by 111.5 degrees to cover the one behind.
  const turn = 111.5 * Math.PI / 180;
  const peroxide: Vector[] = [[0, 1, 0], [0, 0, 0], [0, 0, -1.45], [
    Math.sin(turn),
    Math.cos(turn),
    -1.45,
  ]];
  assertAlmostEquals(measure(peroxide, undefined)!.value, 111.5);
  const mirrored = peroxide.map(([x, y, z]): Vector => [-x, y, z]);
  assertAlmostEquals(measure(mirrored, undefined)!.value, -111.5);
  assertEquals(measure(water.slice(0, 1), undefined), undefined);
  const lattice = latticeOf(frameOf([1], [0, 0, 0], SKEWED))!;
  // One cell along each direction: the nearest image is the atom itself, moved by 0.5 Å.
  assertNear(nearestVector([0, 0, 0], [6 + 2 - 1, 5 + 1.5, 7.5], lattice), [0, 0, 0.5], 1e-5);
});

Deno.test("the foremost atom at a place is picked, in its image; between atoms there is none", () => {
  const frame = frameOf([8, 6], [0, 0, 1, 0, 0, -2], Float32Array.of(8, 0, 0, 0, 8, 0, 0, 0, 8));
  const shapes = shapesOf(frame, { ...FIRST_LOOK, wraps: false, repeat: [2, 1, 1] });
  const project = projection(FROM_Z, SIZE);
  const [x, y] = project([0, 0, 0]), [second] = project([8, 0, 0]), [between] = project([4, 0, 0]);
  assertEquals(pickAtom(shapes, FROM_Z, [x, y], SIZE)?.atom, 0);
  assertEquals(pickAtom(shapes, FROM_Z, [second, y], SIZE), {
    atom: 0,
    image: 1,
    position: [8, 0, 1],
  });
  assertEquals(pickAtom(shapes, FROM_Z, [between, y], SIZE), undefined);
  const behind = lookingAlong(FROM_Z, [0, 0, -1], [0, 1, 0]);
  assertEquals(pickAtom(shapes, behind, [x, y], SIZE)?.atom, 1);
});
