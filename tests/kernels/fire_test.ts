import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { ACCELERATION, TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { fire2Step } from "../../src/kernels/relax/fire2_step.ts";
import { fireStep } from "../../src/kernels/relax/fire_step.ts";
import { assertNear, kept, Lab, onEach, TOLERANCE } from "./lab.ts";

/** FIRE's defaults for a dt in internal time, as its kernel wants them. */
function fireParameters(dt: number): number[] {
  return [10 * dt * TIME_UNIT_FS, 0.02 * dt * TIME_UNIT_FS, 0.2, 5, 0.5, 1.1, 0.1, 0.99];
}

/** FIRE 2.0's. */
function fire2Parameters(delay = 60, maxStep = 0.1): number[] {
  return [0.08 * TIME_UNIT_FS, 0.005 * TIME_UNIT_FS, maxStep, delay, 0.75, 1.05, 0.09, 0.985];
}

interface Relaxed {
  x: number[];
  dt: number[];
  alpha: number[];
  positive: number[];
}

/** Steps of FIRE (`weights`) or FIRE 2.0 (none) with forces from the positions. */
async function relax(
  lab: Lab,
  steps: number,
  dt: number,
  parameters: number[],
  x0: number,
  force: (x: number) => number,
  isFire2 = false,
): Promise<Relaxed> {
  const positions = lab.real([x0, 0, 0]), velocities = lab.real([0, 0, 0]);
  const forces = lab.real([force(x0), 0, 0]);
  const state = {
    dt: lab.f64([dt * TIME_UNIT_FS]),
    alpha: lab.f64([parameters[6]!]),
    positive: lab.i32([0]),
    parameters: lab.f64(parameters),
  };
  const step = isFire2
    ? call(fire2Step, { positions, velocities, forces, ...state })
    : call(fireStep, {
      positions,
      velocities,
      forces,
      weights: lab.real([ACCELERATION]),
      ...state,
    });
  const found: Relaxed = { x: [], dt: [], alpha: [], positive: [] };
  for (let i = 0; i < steps; i++) {
    await lab.run([step]);
    const [x, y, z] = await lab.read(positions);
    assertEquals([y, z], [0, 0]);
    lab.backend.write(forces, [force(x!), 0, 0]);
    found.x.push(x!);
    found.dt.push((await lab.read(state.dt))[0]! / TIME_UNIT_FS);
    found.alpha.push((await lab.read(state.alpha))[0]!);
    found.positive.push((await lab.read(state.positive))[0]!);
  }
  return found;
}

onEach("fire_step follows the golden sequence of a constant force", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const { x, dt, alpha } = await relax(lab, 9, 0.1, fireParameters(0.1), 0, () => 1);
  assertNear(
    x,
    [.01, .0175, .0275, .04, .055, .0725, .094775, .12293775, .1583456775],
    TOLERANCE[lab.backend.real],
  );
  assertNear([dt.at(-1)!, alpha.at(-1)!], [.073205, .096059601], 1e-12);
});

onEach("fire_step resets on a spring as the golden sequence does", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const { x, dt, positive } = await relax(lab, 8, 0.5, fireParameters(0.5), 1, (x) => -x);
  assertNear(x.slice(0, 6), [.8, .625, .425, .225, .025, -.175], TOLERANCE[lab.backend.real], 1);
  assertNear(x.slice(6), [-.16176563, -.15209006], Math.max(TOLERANCE[lab.backend.real], 5e-9), 1);
  assertNear(dt.slice(5), [.275, .1375, .1375], 1e-12);
  assertEquals(positive.slice(5), [5, 0, 1]);
});

onEach("fire2_step follows the golden sequence of a constant force", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const { x } = await relax(lab, 5, 0.05, fire2Parameters(2), 0, () => 1, true);
  assertNear(x.slice(0, 4), [.0025, .0075, .015375, .0265378125], TOLERANCE[lab.backend.real]);
  assertNear(x.slice(4), [.0414494695], Math.max(TOLERANCE[lab.backend.real], 1e-9));
});

onEach("fire2_step goes back half a step and stops if it moves uphill", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const dt = 0.05 * TIME_UNIT_FS, shorter = 0.75 * dt;
  const positions = lab.real([0, 0, 0]), velocities = lab.real([2e-3, 0, 0]);
  const state = { dt: lab.f64([dt]), alpha: lab.f64([0.05]), positive: lab.i32([9]) };
  const forces = lab.real([-0.1, 0, 0]), parameters = lab.f64(fire2Parameters());
  await lab.run([call(fire2Step, { positions, velocities, forces, ...state, parameters })]);
  // By hand: kicked against the motion, turned towards the force by α = 0.09, then half a shorter step back.
  const kicked = 2e-3 - 0.1 * dt * ACCELERATION;
  const mixed = (1 - 0.09) * kicked - 0.09 * kicked;
  assertNear(
    await lab.read(positions),
    [-0.5 * shorter * mixed, 0, 0],
    TOLERANCE[lab.backend.real],
  );
  assertEquals(await lab.read(velocities), [0, 0, 0]);
  assertNear(await lab.read(state.dt), [shorter], backend === "webgpu" ? 1e-14 : 0);
  assertEquals([await lab.read(state.alpha), await lab.read(state.positive)], [[kept(lab, 0.09)], [
    0,
  ]]);
});

onEach("fire2_step scales the step of a system and its dt by one factor", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const dt = 0.05 * TIME_UNIT_FS;
  const positions = lab.real(new Array(6).fill(0)), velocities = lab.real(new Array(6).fill(0));
  const state = { dt: lab.f64([dt]), alpha: lab.f64([0.09]), positive: lab.i32([0]) };
  const forces = lab.real([400, 0, 0, 0, 100, 0]), parameters = lab.f64(fire2Parameters());
  await lab.run([call(fire2Step, { positions, velocities, forces, ...state, parameters })]);
  // 400 eV/Å would take the first atom 1 Å far.
  assertNear(await lab.read(positions), [0.1, 0, 0, 0, 0.025, 0], TOLERANCE[lab.backend.real]);
  assertNear(await lab.read(state.dt), [0.1 * dt], lab.backend.real === "f64" ? 1e-12 : 1e-6);
});

onEach("fire_step limits the step of each atom separately", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const dt = 0.1 * TIME_UNIT_FS;
  const positions = lab.real(new Array(6).fill(0)), velocities = lab.real(new Array(6).fill(0));
  const state = { dt: lab.f64([dt]), alpha: lab.f64([0.1]), positive: lab.i32([0]) };
  const forces = lab.real([300, 400, 0, 0, 0, 10]),
    weights = lab.real([ACCELERATION, ACCELERATION]);
  const parameters = lab.f64(fireParameters(0.1));
  await lab.run([call(fireStep, { positions, velocities, forces, weights, ...state, parameters })]);
  assertNear(await lab.read(positions), [0.12, 0.16, 0, 0, 0, 0.1], TOLERANCE[lab.backend.real]);
});

for (const isFire2 of [false, true]) {
  const name = isFire2 ? "fire2_step" : "fire_step";

  onEach(`${name} keeps dt between its bounds`, async (backend) => {
    using lab = await Lab.open(backend, [1, 1]);
    const longest = 2, shortest = 0.5;
    // The first goes with the force, the second against it.
    const velocities = lab.real([1e-3, 0, 0, -1e-3, 0, 0]),
      forces = lab.real([1e-9, 0, 0, 1e-9, 0, 0]);
    const state = {
      dt: lab.f64([1.95, 0.55]),
      alpha: lab.f64([0.1, 0.1]),
      positive: lab.i32([99, 0]),
    };
    const parameters = lab.f64(
      [1, 2].flatMap(() => [longest, shortest, 9, 5, 0.5, 1.1, 0.1, 0.99]),
    );
    const moved = { positions: lab.real(new Array(6).fill(0)), velocities, forces };
    const weights = lab.real([ACCELERATION, ACCELERATION]);
    const step = isFire2
      ? call(fire2Step, { ...moved, ...state, parameters })
      : call(fireStep, { ...moved, weights, ...state, parameters });
    await lab.run([step]);
    assertEquals(await lab.read(state.dt), [longest, shortest]);
  });
}
