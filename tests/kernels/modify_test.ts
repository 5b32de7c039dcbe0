import { assert, assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { alignCells } from "../../src/kernels/cells/align_cells.ts";
import { clampForces } from "../../src/kernels/modify/clamp_forces.ts";
import { Freeze, freezeAtoms } from "../../src/kernels/modify/freeze_atoms.ts";
import { wrapPositions } from "../../src/kernels/modify/wrap_positions.ts";
import { assertNear, Lab, normals, onEach } from "./lab.ts";

async function clamped(
  backend: string,
  values: number[],
  limit: number,
  active = [1],
): Promise<number[]> {
  using lab = await Lab.open(backend, [values.length / 3], { active });
  const forces = lab.real(values);
  await lab.run([call(clampForces, { forces, limit })]);
  return await lab.read(forces);
}

onEach(
  "clamp_forces shortens long forces, and does not change a bit of others",
  async (backend) => {
    const found = await clamped(backend, [30, 0, 40, 0.1, 0.2, 0.3, -3, 0, 4, 0, 5.5, 0], 5);
    assertNear([...found.slice(0, 3), found[10]!], [3, 0, 4, 5], 1e-6);
    const rest = [0.1, 0.2, 0.3].map((x) => backend !== "reference" ? Math.fround(x) : x);
    assertEquals(found.slice(3, 9), [...rest, -3, 0, 4]);
  },
);

onEach("clamp_forces makes infinite forces finite, and keeps NaN", async (backend) => {
  const inf = Infinity;
  const found = await clamped(
    backend,
    [inf, 1, -2, -inf, inf, 7, inf, -inf, -inf, NaN, inf, 0, 1, NaN, 99],
    6,
  );
  assertEquals(found.slice(0, 3), [6, 0, 0]);
  assertNear(found.slice(3, 6), [-6 / Math.SQRT2, 6 / Math.SQRT2, 0], 1e-6);
  assertNear(found.slice(6, 9), [1, -1, -1].map((x) => 6 * x / Math.sqrt(3)), 1e-6);
  assertEquals(found.slice(9), [NaN, inf, 0, 1, NaN, 99]);
});

onEach("clamp_forces keeps the direction of forces near the largest float", async (backend) => {
  const huge = backend !== "reference" ? 3e38 : 1e308;
  assertNear(
    await clamped(backend, [huge, -huge, 0], 10),
    [10 / Math.SQRT2, -10 / Math.SQRT2, 0],
    1e-6,
  );
  assertEquals(await clamped(backend, [8, 8, 8], 1, [0]), [8, 8, 8]);
});

onEach("freeze_atoms restores the requested fields of frozen atoms", async (backend) => {
  for (const what of [1, 2, 4, 7]) {
    using lab = await Lab.open(backend, [2, 2], { active: [1, 0] });
    const start = normals(12, 1);
    const positions = lab.real(start), velocities = lab.real(start), forces = lab.real(start);
    const anchors = lab.real(normals(12, 2)), frozen = lab.i32([0, 7, 7, 7]);
    const cell = undefined, images = undefined;
    await lab.run([
      call(freezeAtoms, { positions, velocities, forces, frozen, anchors, images, cell, what }),
    ]);
    const after = (bit: number, held: number[]) =>
      what & bit ? [...start.slice(0, 3), ...held, ...start.slice(6)] : start;
    assertEquals(await lab.read(positions), after(Freeze.POSITIONS, normals(12, 2).slice(3, 6)));
    assertEquals(await lab.read(velocities), after(Freeze.VELOCITIES, [0, 0, 0]));
    assertEquals(await lab.read(forces), after(Freeze.FORCES, [0, 0, 0]));
  }
});

onEach("freeze_atoms restores wrapped positions", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const positions = lab.real([11, 4, 2]), other = lab.real([0, 0, 0]);
  const images = lab.i32([0, 0, 0]), cell = lab.real([10, 0, 0, 1, 8, 0, 0, 0, 6]);
  const anchors = lab.real([11, 4, 2]), frozen = lab.i32([7]), pbc = lab.i32([1, 1, 0]);
  for (let step = 0; step < 3; step++) {
    await lab.run([
      call(wrapPositions, { positions, images, cell, pbc }),
      call(freezeAtoms, {
        positions,
        velocities: other,
        forces: other,
        frozen,
        anchors,
        images,
        cell,
        what: 1,
      }),
    ]);
    assertEquals([await lab.read(positions), await lab.read(images)], [[1, 4, 2], [1, 0, 0]]);
  }
});

interface Box {
  positions: number[];
  cell: number[];
  pbc: number[];
  images?: number[];
  active?: number[];
}

async function wrapped(backend: string, box: Box, times = 1) {
  using lab = await Lab.open(backend, [box.positions.length / 3], { active: box.active ?? [1] });
  const positions = lab.real(box.positions), cell = lab.real(box.cell), pbc = lab.i32(box.pbc);
  const images = lab.i32(box.images ?? box.positions.map(() => 0));
  await lab.run([call(wrapPositions, { positions, images, cell, pbc })], times);
  return { positions: await lab.read(positions), images: await lab.read(images) };
}

onEach("wrap_positions subtracts whole lattice vectors, and counts them", async (backend) => {
  const cell = [10, 0, 0, 0, 10, 0, 0, 0, 10];
  const found = await wrapped(backend, {
    positions: [12, -1, 35, 5, 5, 5, -0.5, 10, 0],
    cell,
    pbc: [1, 1, 1],
    images: [1, 1, 1, 0, 0, 0, 0, 0, 0],
  });
  assertEquals(found.positions, [2, 9, 5, 5, 5, 5, 9.5, 0, 0]);
  assertEquals(found.images, [2, 0, 4, 0, 0, 0, -1, 1, 0]);
});

onEach(
  "wrap_positions does not wrap along non-periodic directions",
  async (backend) => {
    // Triclinic, periodic along b only: only multiples of b may go.
    const cell = [10, 0, 0, 4, 8, 0, 1, 2, 9];
    const found = await wrapped(backend, { positions: [25, 17, -30], cell, pbc: [0, 1, 0] });
    const n = found.images[1]!;
    assertEquals(found.images, [0, n, 0]);
    assertEquals(found.positions, [25 - 4 * n, 17 - 8 * n, -30]);
    // Coordinate along b: (17 − 2 z/9)/8 with z/9 lattice vectors along c.
    assertEquals(n, Math.floor((17 + 2 * 30 / 9) / 8));
  },
);

onEach(
  "wrap_positions accepts zero vectors along non-periodic directions",
  async (backend) => {
    const slab = { positions: [11, -3, 99], cell: [10, 0, 0, 0, 10, 0, 0, 0, 0], pbc: [1, 1, 0] };
    assertEquals(await wrapped(backend, slab), { positions: [1, 7, 99], images: [1, -1, 0] });
    const wire = { positions: [55, -3, 21], cell: [0, 0, 0, 0, 0, 0, 0, 0, 10], pbc: [0, 0, 1] };
    assertEquals(await wrapped(backend, wire), { positions: [55, -3, 1], images: [0, 0, 2] });
    const free = { positions: [55, -3, 21], cell: new Array(9).fill(0), pbc: [0, 0, 0] };
    assertEquals(await wrapped(backend, free), { positions: [55, -3, 21], images: [0, 0, 0] });
    const flat = { positions: [55, -3, 21], cell: [1, 0, 0, 2, 0, 0, 0, 0, 1], pbc: [1, 1, 1] };
    assertEquals(await wrapped(backend, flat), { positions: [55, -3, 21], images: [0, 0, 0] });
  },
);

onEach("wrap_positions does not wrap an atom slightly below a face", async (backend) => {
  const cell = [8, 0, 0, 0, 8, 0, 0, 0, 8], hair = 2 ** -20;
  const found = await wrapped(backend, {
    positions: [-hair, -8 - hair, -1e-4],
    cell,
    pbc: [1, 1, 1],
  });
  assertEquals(found.positions.slice(0, 2), [-hair, -hair]);
  assertNear(found.positions.slice(2), [8 - 1e-4], 1e-6);
  assertEquals(found.images, [0, -1, -1]);
});

onEach(
  "wrap_positions does not wrap an atom at a face repeatedly, in any cell",
  async (backend) => {
    const corners = [0, 1, -1, 2].flatMap((n) => [n - 1e-7, n, n + 1e-7]);
    for (let trial = 0; trial < (backend === "webgpu" ? 15 : 100); trial++) {
      const cell = normals(9, trial, 5);
      const lattice = corners.flatMap((a) => corners.map((b) => [a, b, a + b]));
      const positions = lattice.flatMap((s) =>
        [0, 1, 2].map((i) => s[0]! * cell[i]! + s[1]! * cell[3 + i]! + s[2]! * cell[6 + i]!)
      );
      const box = { positions, cell, pbc: [1, 1, 1] };
      // Taking off one vector may round another coordinate over its face: three rounds settle all three.
      assertEquals(await wrapped(backend, box, 9), await wrapped(backend, box, 4), `cell ${trial}`);
    }
  },
);

onEach("wrap_positions keeps x + images · h, inside the cell, in any cell", async (backend) => {
  for (let trial = 0; trial < 30; trial++) {
    const cell = normals(9, 100 + trial, 5), positions = normals(60, trial, 20);
    const found = await wrapped(backend, { positions, cell, pbc: [1, 1, trial % 2] });
    const back = found.positions.map((x, k) => {
      const [atom, i] = [k - k % 3, k % 3];
      return x + found.images[atom]! * cell[i]! + found.images[atom + 1]! * cell[3 + i]! +
        found.images[atom + 2]! * cell[6 + i]!;
    });
    const reach = Math.max(...found.images.map(Math.abs)) * 15;
    assertNear(back, positions, backend !== "reference" ? 1e-6 : 1e-13, reach);
    if (trial % 2 === 0) assert(found.images.every((n, k) => k % 3 !== 2 || n === 0));
  }
});

onEach("wrap_positions ignores non-finite positions and inactive systems", async (backend) => {
  const cell = [10, 0, 0, 0, 10, 0, 0, 0, 10], pbc = [1, 1, 1];
  const nowhere = [NaN, 12, 0, Infinity, 0, 0, 1e30, 0, 0];
  const found = await wrapped(backend, { positions: nowhere, cell, pbc });
  assertEquals(found.positions[0], NaN);
  assertEquals(found.positions.slice(3, 6), [Infinity, 0, 0]);
  assertNear([found.positions[6]!], [1e30], 1e-7);
  assertEquals(found.images.filter((n) => Math.abs(n) > 1), []);
  const rest = { positions: [12, 0, 0], cell, pbc, active: [0] };
  assertEquals(await wrapped(backend, rest), { positions: [12, 0, 0], images: [0, 0, 0] });
});

async function aligned(backend: string, box: Box, times = 1) {
  const n = box.positions.length;
  using lab = await Lab.open(backend, [n / 3], { active: box.active ?? [1] });
  const cell = lab.real(box.cell), positions = lab.real(box.positions);
  const velocities = lab.real(normals(n, 8)), forces = lab.real(normals(n, 9));
  const pbc = lab.i32(box.pbc);
  await lab.run([call(alignCells, { cell, positions, velocities, forces, pbc })], times);
  return await lab.readAll([cell, positions, velocities, forces]);
}

const dots = (a: number[], b: number[]) =>
  Array.from({ length: a.length / 3 * (b.length / 3) }, (_, k) => {
    const [i, j] = [3 * Math.floor(k / (b.length / 3)), 3 * (k % (b.length / 3))];
    return a[i]! * b[j]! + a[i + 1]! * b[j + 1]! + a[i + 2]! * b[j + 2]!;
  });

const determinant = (h: number[]) =>
  h[0]! * (h[4]! * h[8]! - h[5]! * h[7]!) + h[1]! * (h[5]! * h[6]! - h[3]! * h[8]!) +
  h[2]! * (h[3]! * h[7]! - h[4]! * h[6]!);

onEach("align_cells rotates cell, positions, velocities and forces together", async (backend) => {
  const tolerance = backend !== "reference" ? 3e-6 : 1e-13;
  for (let trial = 0; trial < 20; trial++) {
    const box = {
      positions: normals(15, trial, 5),
      cell: normals(9, 50 + trial, 5),
      pbc: [1, 0, 1],
    };
    const [h, x, v, f] = await aligned(backend, box) as [number[], number[], number[], number[]];
    assertEquals([h[1], h[2], h[5]], [0, 0, 0]);
    assert(h[0]! > 0 && h[4]! > 0);
    // A proper rotation: no angle, no length and no hand is another.
    assertNear([determinant(h)], [determinant(box.cell)], tolerance, 500);
    assertNear(dots(h, h), dots(box.cell, box.cell), tolerance, 100);
    assertNear(dots(h, x), dots(box.cell, box.positions), tolerance, 100);
    assertNear(dots(x, v), dots(box.positions, normals(15, 8)), tolerance, 20);
    assertNear(dots(x, f), dots(box.positions, normals(15, 9)), tolerance, 20);
    assertEquals(await aligned(backend, box, 2), [h, x, v, f]);
  }
});

onEach(
  "align_cells does not change non-periodic, aligned and inactive systems",
  async (backend) => {
    const positions = normals(6, 3, 5), slanted = normals(9, 4, 5);
    const same = async (box: Box) =>
      assertEquals(await aligned(backend, box), [
        box.cell,
        positions,
        normals(6, 8),
        normals(6, 9),
      ]);
    await same({ positions, cell: slanted, pbc: [0, 0, 0] });
    await same({ positions, cell: new Array(9).fill(0), pbc: [1, 0, 0] });
    await same({ positions, cell: [5, 0, 0, -2, 6, 0, 1, 2, -7], pbc: [1, 1, 1] });
    await same({ positions, cell: slanted, pbc: [1, 1, 1], active: [0] });
  },
);

onEach("align_cells keeps zero vectors along non-periodic directions", async (backend) => {
  const cell = [0, 5, 0, 0, 0, 6, 0, 0, 0];
  const [h, x] = await aligned(backend, {
    positions: [0, 1, 0, 0, 0, 1, 1, 0, 0],
    cell,
    pbc: [1, 1, 0],
  });
  assertNear(h!, [5, 0, 0, 0, 6, 0, 0, 0, 0], 1e-6, 1);
  assertNear(x!, [1, 0, 0, 0, 1, 0, 0, 0, 1], 1e-6, 1);
});
