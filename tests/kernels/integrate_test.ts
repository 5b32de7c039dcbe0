import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { advance } from "../../src/kernels/advance.ts";
import { clear } from "../../src/kernels/clear.ts";
import { ACCELERATION, TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { drift } from "../../src/kernels/drift.ts";
import { kick } from "../../src/kernels/kick.ts";
import { kickDrift } from "../../src/kernels/kick_drift.ts";
import { thermalize } from "../../src/kernels/thermalize.ts";
import { assertNear, Lab, normals, onEach } from "./lab.ts";

/** A harmonic atom of 1 amu, k = 1, from x = 1, dt = 0.1 internal; x and v after each of three steps. */
function oscillate(lab: Lab, scheme: "verlet" | "langevin"): { x: number[]; v: number[] } {
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
    lab.run(first);
    const [x] = lab.read(positions);
    lab.backend.write(forces, [-x!, 0, 0]);
    lab.run([kicked]);
    found.x.push(x!);
    found.v.push(lab.read(velocities)[0]! * TIME_UNIT_FS);
  }
  return found;
}

onEach("kick_drift and kick follow the golden harmonic trajectory", (backend) => {
  using lab = new Lab(backend, [1]);
  const { x, v } = oscillate(lab, "verlet");
  assertNear(x, [.995, .98005, .9552995], lab.tolerance);
  assertNear(v, [-.09975, -.1985025, -.295269975], lab.tolerance);
});

onEach("kick, drift and thermalize without friction follow it too", (backend) => {
  using lab = new Lab(backend, [1]);
  const { x, v } = oscillate(lab, "langevin");
  assertNear(x, [.995, .98005, .9552995], lab.tolerance);
  assertNear(v, [-.09975, -.1985025, -.295269975], lab.tolerance);
});

const sizes = [1, 3, 4, 5, 11, 64];

/** All parts in turn on systems of random atoms; positions, velocities, forces, energies, virials, ages. */
function work(lab: Lab, chosen: readonly number[]): number[][] {
  const seeded = (s: number, width: number, count: number) =>
    normals(count * sizes[s]!, s + 1, width);
  const positions = lab.real(chosen.flatMap((s) => seeded(s, 5, 3)));
  const velocities = lab.real(chosen.flatMap((s) => seeded(s, 1e-2, 3)));
  const forces = lab.real(chosen.flatMap((s) => seeded(s, 1, 3)));
  const weights = lab.real(
    chosen.flatMap((s) => seeded(s, 1, 1).map((x) => Math.fround(ACCELERATION / (2 + x * x)))),
  );
  const dt = lab.real(chosen.map((s) => 0.5 + 0.25 * s));
  lab.run([
    call(kickDrift, { positions, velocities, forces, weights, dt }),
    call(kick, { velocities, forces, weights, dt }),
    call(drift, { positions, velocities, dt, fraction: 0.5 }),
  ], 3);
  const moved = [positions, velocities].map((buffer) => lab.read(buffer));
  const energy = lab.f64(chosen.map((s) => s + 1)), virial = lab.f64(normals(9 * chosen.length, 5));
  lab.run([call(clear, { forces, energy, virial }), call(advance, {})]);
  return [...moved, ...[forces, energy, virial, lab.frame.ages].map((buffer) => lab.read(buffer))];
}

Deno.test("kick, kick_drift and drift do the same on both backends", () => {
  const all = sizes.map((_, s) => s);
  using reference = new Lab("reference", sizes);
  using wasm = new Lab("wasm", sizes);
  const [x, v] = work(reference, all), [x32, v32] = work(wasm, all);
  assertNear(x32!, x!, 1e-6, 1);
  assertNear(v32!, v!, 1e-6, 1e-2);
});

onEach("kick, kick_drift and drift give the same bits alone and in any slot", (backend) => {
  const order = [3, 0, 5, 1, 4, 2];
  using lab = new Lab(backend, order.map((s) => sizes[s]!));
  const [x, v] = work(lab, order);
  let at = 0;
  for (const s of order) {
    using single = new Lab(backend, [sizes[s]!]);
    const [x1, v1] = work(single, [s]);
    assertEquals(x!.slice(at, at + 3 * sizes[s]!), x1);
    assertEquals(v!.slice(at, at + 3 * sizes[s]!), v1);
    at += 3 * sizes[s]!;
  }
});

onEach("clear makes forces, energy and virial zero and advance adds a step", (backend) => {
  using lab = new Lab(backend, [4, 5], { ages: [3, 7] });
  const [, , forces, energy, virial, ages] = work(lab, [2, 3]);
  assertEquals(forces, new Array(27).fill(0));
  assertEquals([energy, virial], [[0, 0], new Array(18).fill(0)]);
  assertEquals(ages, [4, 8]);
});

onEach("no part changes anything of a system at rest", (backend) => {
  using lab = new Lab(backend, [4, 5, 1], { active: [1, 0, 1], ages: [3, 7, 9] });
  const [x, v, forces, energy, virial, ages] = work(lab, [2, 3, 0]);
  assertEquals(x!.slice(12, 27), normals(15, 4, 5));
  assertEquals(v!.slice(12, 27), normals(15, 4, 1e-2));
  assertEquals(forces!.slice(12, 27), normals(15, 4));
  assertEquals([energy![1], ages![1]], [4, 7]);
  assertEquals(virial!.slice(9, 18), normals(27, 5).slice(9, 18));
});
