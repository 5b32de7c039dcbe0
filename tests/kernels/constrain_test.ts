import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { creditBath } from "../../src/kernels/thermostats/credit_bath.ts";
import { holdCenter } from "../../src/kernels/constrain/hold_center.ts";
import { checkFinite } from "../../src/kernels/check_finite.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { rattle } from "../../src/kernels/constrain/rattle.ts";
import { remember } from "../../src/kernels/remember.ts";
import { shake } from "../../src/kernels/constrain/shake.ts";
import { assertNear, Lab, normals, onEach } from "./lab.ts";

onEach("remember copies vectors bitwise, except for inactive systems", async (backend) => {
  using lab = await Lab.open(backend, [2, 1, 3], { active: [1, 0, 1] });
  const values = normals(18, 1);
  const source = lab.real(values), target = lab.real(new Array(18).fill(NaN));
  await lab.run([call(remember, { source, target })]);
  const expected = values.map((x, k) => k >= 6 && k < 9 ? NaN : x);
  assertEquals(await lab.read(target), expected);
});

onEach("credit_bath counts the energy that constraints remove from velocities", async (backend) => {
  using lab = await Lab.open(backend, [1, 2], { active: [0, 1] });
  const before = lab.real([9, 9, 9, 1, 2, 3, 1, 1, 1]);
  const velocities = lab.real([0, 0, 0, 1, 0, 3, 0, 0, 0]);
  const weights = lab.real([1, 0.5, 0.25]), bathEnergy = lab.f64([7, 7]);
  await lab.run([call(creditBath, { velocities, before, weights, bathEnergy })]);
  assertNear(await lab.read(bathEnergy), [7, 7 + 4 / 2 / 0.5 + 3 / 2 / 0.25], 1e-6);
});

onEach("hold_center removes the motion of the center from free atoms", async (backend) => {
  using lab = await Lab.open(backend, [2, 2], { active: [1, 0] });
  const vectors = lab.real([1, 2, 3, 5, 6, 7, 1, 1, 1, 1, 1, 1]);
  const before = lab.real([0, 2, 2, 1, 2, 3, 0, 0, 0, 0, 0, 0]);
  const masses = lab.real([1, 3, 1, 1]), held = lab.i32([2, 0, 0, 0]);
  await lab.run([call(holdCenter, { vectors, before, masses, held })]);
  // x: (1 + 3 * 4)/4 = 3.25; y: only the second, 4; z: (1 + 3 * 4)/4.
  assertNear(await lab.read(vectors), [-2.25, 2, -0.25, 1.75, 2, 3.75, 1, 1, 1, 1, 1, 1], 1e-6);
});

onEach("hold_center with shares removes the force on the center", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const vectors = lab.real([1, 0, 0, 2, 0, 0]), masses = lab.real([1, 3]);
  await lab.run([call(holdCenter, { vectors, masses, shares: masses })]);
  // λ = (1 + 6)/(1 + 9): what is left has no component along (1, 3).
  assertNear(await lab.read(vectors), [0.3, 0, 0, -0.1, 0, 0], 1e-6, 1);
});

onEach("repeating hold_center does not change a bit", async (backend) => {
  using lab = await Lab.open(backend, [100]);
  const vectors = lab.real(normals(300, 3, 1e-2));
  const masses = lab.real(normals(100, 4).map((x) => Math.fround(1 + x * x)));
  const hold = call(holdCenter, { vectors, masses });
  await lab.run([hold]);
  const once = await lab.read(vectors);
  await lab.run([hold]);
  assertEquals(await lab.read(vectors), once);
});

/** Two atoms 1 Å apart along x, bonded; the second is three times as heavy. */
async function pair(backend: string, moved: readonly number[], active = [1]) {
  const lab = await Lab.open(backend, [2], { active });
  const zeros = [0, 0, 0, 0, 0, 0];
  const bonded = {
    starts: lab.i32([0, 1]),
    clusters: lab.i32([0, 1]),
    bonds: lab.i32([0, 1]),
    weights: lab.real([3, 1]),
    tolerance: backend === "reference" ? 1e-12 : 1e-6,
    most: 20,
  };
  const positions = lab.real(moved), low = lab.real(zeros), velocities = lab.real(zeros);
  return { lab, bonded, positions, low, velocities, zeros };
}

onEach("shake restores a bond along its earlier direction, weighted by masses", async (backend) => {
  const { lab, bonded, positions, low, velocities, zeros } = await pair(
    backend,
    [0, 0, 0, 1.2, 0.3, 0],
  );
  using _ = lab;
  const before = lab.real([0, 0, 0, 1, 0, 0]), lowBefore = lab.real(zeros);
  const lengths = lab.f64([1]), dt = lab.real([2]);
  await lab.run([
    call(shake, {
      ...bonded,
      lengths,
      width: 1,
      positions,
      low,
      before,
      lowBefore,
      velocities,
      dt,
      fraction: 0.5,
    }),
  ]);
  // √(1 − 0.3²) along x: the light atom has gone three quarters of the way.
  const short = 1.2 - Math.sqrt(0.91);
  const back = [0.75 * short, 0, 0, -0.25 * short, 0, 0];
  const slack = backend === "reference" ? 1e-11 : 3e-6;
  assertNear(await lab.read(positions), [back[0]!, 0, 0, 1.2 + back[3]!, 0.3, 0], slack, 1);
  assertNear(await lab.read(velocities), back, slack, 1); // in a time of 1 fs
});

onEach("shake reports the first system whose bonds cannot be restored", async (backend) => {
  using lab = await Lab.open(backend, [2, 2, 2]);
  const moved = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 5, 0]; // across where they were
  const positions = lab.real(moved), low = lab.real(new Array(18).fill(0));
  const before = lab.real([0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0]);
  const shaken = [
    call(shake, {
      starts: lab.i32([0, 1, 2, 3]),
      clusters: lab.i32([0, 1, 2, 3]),
      bonds: lab.i32([0, 1, 0, 1, 0, 1]),
      weights: lab.real(new Array(6).fill(1)),
      lengths: lab.f64([1, 1, 1]),
      width: 1,
      positions,
      low,
      before,
      lowBefore: lab.real(new Array(18).fill(0)),
      fraction: 1,
      tolerance: 1e-6,
      most: 5,
    }),
  ];
  const velocities = lab.real(Array.from({ length: 18 }, (_, i) => i === 13 ? NaN : 0));
  const finite = call(checkFinite, { velocities });
  // The last system has a velocity that is not finite, too. Whichever kernel comes first, system 1 is reported.
  for (const calls of [shaken, [finite, ...shaken], [...shaken, finite]]) {
    lab.backend.write(lab.frame.control, [0, 0, 0, 0]);
    lab.backend.write(positions, moved);
    await lab.run(calls);
    const control = await lab.read(lab.frame.control);
    assertEquals([control[Control.DIVERGED], control[Control.CAUSE]], [2, 2]);
  }
});

onEach("rattle removes velocities along the bond, weighted by masses", async (backend) => {
  const { lab, bonded, low } = await pair(backend, [0, 0, 0, 1, 0, 0]);
  using _ = lab;
  const positions = lab.real([9.5, 0, 0, 0.5, 0, 0]); // through a face of the cell
  const cell = lab.real([10, 0, 0, 0, 10, 0, 0, 0, 10]), pbc = lab.i32([1, 0, 0]);
  const vectors = lab.real([1, 2, 3, 5, 6, 7]);
  await lab.run([call(rattle, { ...bonded, vectors, positions, low, cell, pbc })]);
  // Along x both get the velocity of their common center: (1/3 * 1 + 1 * 5)/(4/3).
  assertNear(await lab.read(vectors), [4, 2, 3, 4, 6, 7], backend === "reference" ? 1e-11 : 3e-6);
});

onEach("rattle does not move atoms in fixed directions", async (backend) => {
  const { lab, bonded, positions } = await pair(backend, [0, 0, 0, 0.6, 0.8, 0]);
  using _ = lab;
  const vectors = lab.real([0, 0, 0, 1, 1, 1]), held = lab.i32([7, 1]);
  await lab.run([call(rattle, { ...bonded, held, vectors, positions })]);
  // Only y of the second is free: 0.6 + 0.8 v = 0.
  assertNear(await lab.read(vectors), [0, 0, 0, 1, -0.75, 1], 3e-6, 1);
});
