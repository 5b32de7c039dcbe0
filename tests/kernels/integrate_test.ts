import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { advance } from "../../src/kernels/integrate/advance.ts";
import { clear } from "../../src/kernels/clear.ts";
import { ACCELERATION, TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { drift } from "../../src/kernels/integrate/drift.ts";
import { kick } from "../../src/kernels/integrate/kick.ts";
import { kickDrift } from "../../src/kernels/integrate/kick_drift.ts";
import { thermalize } from "../../src/kernels/thermostats/thermalize.ts";
import { assertNear, Lab, normals, onEach, TOLERANCE } from "./lab.ts";

/** A harmonic atom of 1 amu, k = 1, from x = 1, dt = 0.1 internal; x and v after each of three steps. */
async function oscillate(
  lab: Lab,
  scheme: "verlet" | "langevin",
): Promise<{ x: number[]; v: number[] }> {
  const positions = lab.real([1, 0, 0]), velocities = lab.real([0, 0, 0]);
  const forces = lab.real([-1, 0, 0]), weights = lab.real([ACCELERATION]);
  const dt = lab.real([0.1 * TIME_UNIT_FS]), nothing = lab.real([0]), hot = lab.real([300]);
  const half = call(drift, { positions, velocities, dt, fraction: 0.5 });
  const bath = { velocities, weights, dt, temperature: hot, friction: nothing };
  const kicked = call(kick, { velocities, forces, weights, dt });
  const first = scheme === "verlet"
    ? [call(kickDrift, { positions, velocities, forces, weights, dt })]
    : [kicked, half, call(thermalize, { ...bath, seedLow: 1, seedHigh: 2 }), half];
  const found = { x: [] as number[], v: [] as number[] };
  for (let i = 0; i < 3; i++) {
    await lab.run(first);
    const [x] = await lab.read(positions);
    lab.backend.write(forces, [-x!, 0, 0]);
    await lab.run([kicked]);
    found.x.push(x!);
    found.v.push((await lab.read(velocities))[0]! * TIME_UNIT_FS);
  }
  return found;
}

onEach("kick_drift and kick follow the golden harmonic trajectory", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const { x, v } = await oscillate(lab, "verlet");
  assertNear(x, [.995, .98005, .9552995], TOLERANCE[lab.backend.real]);
  assertNear(v, [-.09975, -.1985025, -.295269975], TOLERANCE[lab.backend.real]);
});

onEach("kick, drift and thermalize without friction follow it too", async (backend) => {
  using lab = await Lab.open(backend, [1]);
  const { x, v } = await oscillate(lab, "langevin");
  assertNear(x, [.995, .98005, .9552995], TOLERANCE[lab.backend.real]);
  assertNear(v, [-.09975, -.1985025, -.295269975], TOLERANCE[lab.backend.real]);
});

const sizes = [1, 3, 4, 5, 11, 64];

/** All parts in turn on systems of random atoms; positions, velocities, forces, energies, virials, ages. */
async function work(lab: Lab, chosen: readonly number[]): Promise<number[][]> {
  const seeded = (s: number, width: number, count: number) =>
    normals(count * sizes[s]!, s + 1, width);
  const positions = lab.real(chosen.flatMap((s) => seeded(s, 5, 3)));
  const velocities = lab.real(chosen.flatMap((s) => seeded(s, 1e-2, 3)));
  const forces = lab.real(chosen.flatMap((s) => seeded(s, 1, 3)));
  const weights = lab.real(
    chosen.flatMap((s) => seeded(s, 1, 1).map((x) => Math.fround(ACCELERATION / (2 + x * x)))),
  );
  const dt = lab.real(chosen.map((s) => 0.5 + 0.25 * s));
  await lab.run([
    call(kickDrift, { positions, velocities, forces, weights, dt }),
    call(kick, { velocities, forces, weights, dt }),
    call(drift, { positions, velocities, dt, fraction: 0.5 }),
  ], 3);
  const moved = await lab.readAll([positions, velocities]);
  const energy = lab.f64(chosen.map((s) => s + 1)), virial = lab.f64(normals(9 * chosen.length, 5));
  await lab.run([call(clear, { forces, energy, virial }), call(advance, {})]);
  return [
    ...moved,
    ...await lab.readAll([forces, energy, virial, lab.frame.ages]),
  ];
}

onEach(
  "clear sets forces, energy and virial to zero, and advance counts a step",
  async (backend) => {
    using lab = await Lab.open(backend, [4, 5], { ages: [3, 7] });
    const [, , forces, energy, virial, ages] = await work(lab, [2, 3]);
    assertEquals(forces, new Array(27).fill(0));
    assertEquals([energy, virial], [[0, 0], new Array(18).fill(0)]);
    assertEquals(ages, [4, 8]);
  },
);
