import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { ACCELERATION } from "../../src/kernels/constants.ts";
import { deform } from "../../src/kernels/cells/deform.ts";
import { fire2Step } from "../../src/kernels/relax/fire2_step.ts";
import { fireStep } from "../../src/kernels/relax/fire_step.ts";
import { fmax } from "../../src/kernels/measure/fmax.ts";
import { lbfgsStep } from "../../src/kernels/relax/lbfgs_step.ts";
import { strainForces } from "../../src/kernels/cells/strain_forces.ts";
import { assertNear, Lab, onEach } from "./lab.ts";

const REFERENCE = [5, 0, 0, 1, 6, 0, -0.5, 0.75, 4.5];
/** Symmetric, of a few parts in a hundred of κ = 3 √2 Å. */
const STRAIN = [0.2, 0.1, -0.05, 0.1, -0.15, 0.3, -0.05, 0.3, 0.25];
const LENGTH = 3 * Math.sqrt(2), PRESSURE = 0.02;

/** h₀ (1 + q/κ). */
function cellOf(strain: readonly number[]): number[] {
  return REFERENCE.map((_, k) => {
    const row = k - k % 3;
    let sum = REFERENCE[k]!;
    for (let i = 0; i < 3; i++) sum += REFERENCE[row + i]! * strain[3 * i + k % 3]! / LENGTH;
    return sum;
  });
}

/** Springs along the lattice vectors: Σ (|h_k|² − 25)²/100. */
function energyOf(h: readonly number[]): number {
  return [0, 3, 6].reduce((sum, k) => sum + (square(h, k) - 25) ** 2 / 100, 0);
}

/** −dE/dε of the same. */
function virialOf(h: readonly number[]): number[] {
  return h.map((_, at) => {
    const [i, j] = [Math.floor(at / 3), at % 3];
    return -[0, 3, 6].reduce(
      (sum, k) => sum + (square(h, k) - 25) / 25 * h[k + i]! * h[k + j]!,
      0,
    );
  });
}

function square(h: readonly number[], k: number): number {
  return h[k]! ** 2 + h[k + 1]! ** 2 + h[k + 2]! ** 2;
}

function volumeOf([a, b, c, d, e, f, g, h, i]: readonly number[]): number {
  return a! * (e! * i! - f! * h!) + b! * (f! * g! - d! * i!) + c! * (d! * h! - e! * g!);
}

interface Asked {
  readonly pbc?: readonly number[];
  readonly isotropic?: number;
  readonly pressure?: number;
  readonly isChanged?: boolean;
}

/** Computes the forces on a cell of two atoms. */
async function drive(lab: Lab, asked: Asked = {}) {
  const { pbc = [1, 1, 1], isotropic = 0, pressure = PRESSURE, isChanged = false } = asked;
  const h = cellOf(STRAIN).map(Math.fround), cell = lab.real(h);
  const cellForces = lab.real(new Array(9).fill(0)), pulled = lab.real(new Array(6).fill(0));
  const strain = lab.real(STRAIN), enthalpy = lab.f64([0]);
  const reference = lab.real([...REFERENCE, ...isChanged ? REFERENCE : h]);
  await lab.run([call(strainForces, {
    forces: lab.real([1, 0, 0, 0.5, -2, 3]),
    virial: lab.f64(virialOf(h)),
    cell,
    pbc: lab.i32(pbc),
    energy: lab.f64([energyOf(h)]),
    parameters: lab.f64([pressure, isotropic]),
    strain,
    reference,
    cellForces,
    pulled,
    enthalpy,
    first: 0,
    end: 0,
  })]);
  const [found, pull, q, both, e] = await lab.readAll(
    [cellForces, pulled, strain, reference, enthalpy],
  );
  return { h, cellForces: found!, pulled: pull!, strain: q!, reference: both!, enthalpy: e![0]! };
}

/** −∂(E + P V)/∂q by small differences. */
function slopes(directions: readonly (readonly number[])[]): number[] {
  const at = (direction: readonly number[], by: number) => {
    const h = cellOf(STRAIN.map((q, k) => q + by * direction[k]!));
    return energyOf(h) + PRESSURE * volumeOf(h);
  };
  return directions.map((one) => (at(one, -1e-4) - at(one, 1e-4)) / 2e-4);
}

onEach("strain_forces returns minus the derivative of E + P V by strain", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const { cellForces, enthalpy, h } = await drive(lab);
  const pairs = [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => [i, j] as const));
  // The cell does not turn: whatever is off the diagonal changes together.
  const directions = pairs.map(([i, j]) =>
    Array.from({ length: 9 }, (_, k) => (k === 3 * i + j ? 0.5 : 0) + (k === 3 * j + i ? 0.5 : 0))
  );
  const isExact = lab.backend.real === "f64";
  assertNear(cellForces, slopes(directions), isExact ? 2e-6 : 1e-5, 1);
  assertNear([enthalpy], [energyOf(h) + PRESSURE * volumeOf(h)], isExact ? 1e-12 : 1e-6);
});

onEach("isotropic strain_forces are equal in all directions", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const free = await drive(lab), { cellForces } = await drive(lab, { isotropic: 1 });
  const third = (free.cellForces[0]! + free.cellForces[4]! + free.cellForces[8]!) / 3;
  assertNear(cellForces, [third, 0, 0, 0, third, 0, 0, 0, third], 1e-6, 1);
});

onEach("strain_forces act only along periodic directions", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const { cellForces: none } = await drive(lab, { pbc: [0, 0, 0], pressure: 0 });
  assertEquals(none, new Array(9).fill(0));
  const { cellForces: slab, h } = await drive(lab, { pbc: [1, 1, 0], pressure: 0 });
  const normal = [
    h[1]! * h[5]! - h[2]! * h[4]!,
    h[2]! * h[3]! - h[0]! * h[5]!,
    h[0]! * h[4]! - h[1]! * h[3]!,
  ];
  const out = [0, 3, 6].map((k) => normal.reduce((sum, n, i) => sum + n * slab[k + i]!, 0));
  assertNear(out, [0, 0, 0], lab.backend.real === "f64" ? 1e-12 : 1e-5, 1);
  const { cellForces: wire } = await drive(lab, { pbc: [0, 0, 1], pressure: 0 });
  const axis = h.slice(6, 9), size = Math.hypot(...axis);
  const stretch = axis.reduce(
    (sum, a, i) => sum + a * axis.reduce((one, b, j) => one + b * wire[3 * i + j]!, 0),
    0,
  ) / size ** 2;
  const expected = axis.flatMap((a) => axis.map((b) => stretch * a * b / size ** 2));
  assertNear(wire, expected, 1e-5, 1);
});

onEach("strain_forces transform forces to the reference cell, f F", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const { pulled } = await drive(lab);
  const f = STRAIN.map((q, k) => Number(k % 4 === 0) + q / LENGTH);
  const expected = [[1, 0, 0], [0.5, -2, 3]].flatMap(([x, y, z]) =>
    [0, 1, 2].map((k) => x! * f[k]! + y! * f[3 + k]! + z! * f[6 + k]!)
  );
  assertNear(pulled, expected, lab.backend.real === "f64" ? 1e-12 : 1e-6, 1);
});

onEach("strain_forces restart if another kernel has changed the cell", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const { h, strain, reference, pulled } = await drive(lab, { isChanged: true });
  assertEquals(strain, new Array(9).fill(0));
  assertEquals(reference, [...h, ...h]);
  assertEquals(pulled, [1, 0, 0, 0.5, -2, 3]);
});

onEach(
  "deform moves atoms with their cell, and by their own displacements",
  async (backend) => {
    using lab = await Lab.open(backend, [2]);
    const tolerance = lab.backend.real === "f64" ? 1e-12 : 1e-6;
    const half = STRAIN.map((q) => 0.5 * q), from = cellOf(half), to = cellOf(STRAIN);
    // Where atoms are in lattice coordinates, and moves of the cell as it was at first.
    const places = [[0.25, 0.5, 0.75], [-1, 2, 0.125]], own = [[0, 0, 0], [0.1, -0.2, 0.3]];
    const at = (h: readonly number[], [a, b, c]: readonly number[]) =>
      [0, 1, 2].map((k) => a! * h[k]! + b! * h[3 + k]! + c! * h[6 + k]!);
    const f = STRAIN.map((q, k) => Number(k % 4 === 0) + q / LENGTH);
    const positions = lab.real(places.flatMap((one) => at(from, one))), cell = lab.real(from);
    const moved = lab.real(own.flat()), strained = lab.real(half), strain = lab.real(half);
    const reference = lab.real([...REFERENCE, ...from]);
    await lab.run([call(deform, { positions, cell, moved, strained, strain, reference })]);
    assertNear(await lab.read(cell), to, tolerance, 5);
    assertEquals((await lab.read(reference)).slice(9), await lab.read(cell));
    const expected = places.flatMap((one, a) => {
      const move = at(f, own[a]!);
      return at(to, one).map((x, k) => x + move[k]!);
    });
    assertNear(await lab.read(positions), expected, tolerance, 10);
    assertNear(await lab.read(strain), STRAIN, 1e-7, 1);
    assertEquals([await lab.read(moved), await lab.read(strained)], [
      new Array(6).fill(0),
      new Array(9).fill(0),
    ]);
  },
);

onEach("fmax treats the cell as one more atom", async (backend) => {
  using lab = await Lab.open(backend, [1, 1, 1]);
  const found = lab.f64([0, 0, 0]);
  const cells = [[...new Array(8).fill(0), 0.5], new Array(9).fill(1), [
    ...new Array(8).fill(0),
    NaN,
  ]];
  await lab.run([call(fmax, {
    forces: lab.real([0, 1, 0, 0, 1, 0, 0, 1, 0]),
    fmax: found,
    cellForces: lab.real(cells.flat()),
  })]);
  assertEquals(await lab.read(found), [1, 3, NaN]);
});

onEach(
  "the step of the cell is limited by the square root of the number of atoms",
  async (backend) => {
    using lab = await Lab.open(backend, [4]);
    const zeros = (n: number) => lab.real(new Array(n).fill(0));
    const push = [3e3, 0, 0, 0, 4e3, 0, 0, 0, 0], maxStep = 0.1;
    const moved = () => ({
      positions: zeros(12),
      velocities: zeros(12),
      forces: zeros(12),
      cellVelocities: zeros(9),
      cellPositions: zeros(9),
      cellForces: lab.real(push),
      dt: lab.f64([1]),
      alpha: lab.f64([0.1]),
      positive: lab.i32([0]),
      parameters: lab.f64([10, 0.1, maxStep, 5, 0.5, 1.1, 0.1, 0.99]),
    });
    const slow = moved(), fast = moved(), pairs = moved();
    await lab.run([
      call(fireStep, { ...slow, weights: lab.real(new Array(4).fill(ACCELERATION)) }),
      call(fire2Step, fast),
      call(lbfgsStep, {
        positions: pairs.positions,
        forces: pairs.forces,
        history: zeros(48),
        energy: undefined,
        memory: lab.f64(new Array(5).fill(0)),
        counts: lab.i32([0, 0, 0]),
        depth: 1,
        parameters: lab.f64([70, 1, maxStep]),
        cellPositions: pairs.cellPositions,
        cellForces: pairs.cellForces,
        cellHistory: zeros(36),
      }),
    ]);
    for (const { cellPositions } of [slow, fast, pairs]) {
      const expected = push.map((f) => 2 * maxStep * f / 5e3);
      assertNear(await lab.read(cellPositions), expected, 1e-6, 1);
    }
  },
);
