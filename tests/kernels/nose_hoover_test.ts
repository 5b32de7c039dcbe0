import { assert, assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { SUB_STEPS } from "../../src/kernels/thermostats/nose_hoover_chain.ts";
import { ACCELERATION, BOLTZMANN, TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { noseHoover } from "../../src/kernels/thermostats/nose_hoover.ts";
import { assertNear, Lab, type Lab as OpenLab, normals, onEach, TOLERANCE } from "./lab.ts";

interface Chained {
  velocities: number[];
  dt: number;
  temperature: number;
  time: number;
  freedom: number;
  length: number;
  parts?: number;
  calls?: number;
}

/** Atoms of 1 amu in one system. */
function chained(lab: OpenLab, given: Chained) {
  const { velocities, length } = given;
  const [moving, eta, etaDot, bathEnergy] = [
    lab.real(velocities),
    lab.f64(new Array(length).fill(0)),
    lab.f64(new Array(length).fill(0)),
    lab.f64([0]),
  ];
  const half = call(noseHoover, {
    velocities: moving,
    weights: lab.real(new Array(velocities.length / 3).fill(ACCELERATION)),
    dt: lab.real([given.dt]),
    temperature: lab.real([given.temperature]),
    time: lab.real([given.time]),
    freedom: lab.i32([given.freedom]),
    eta,
    etaDot,
    bathEnergy,
    length,
    parts: given.parts ?? 1,
  });
  return { half, moving, eta, etaDot, bathEnergy };
}

onEach("nose_hoover agrees with nvalchemi for a chain of two", async (backend) => {
  using lab = await Lab.open(backend, [2]);
  const unit = TIME_UNIT_FS;
  const { half, moving, etaDot } = chained(lab, {
    velocities: [0.1 / unit, 0, 0, 0, -0.1 / unit, 0],
    dt: unit,
    time: 10 * unit,
    temperature: 0.025851999786 / BOLTZMANN,
    freedom: 6,
    length: 2,
  });
  await lab.run([half, half]);
  const tolerance = TOLERANCE[backend === "reference" ? "f64" : "f32"];
  const [v] = await lab.read(moving);
  assertNear([v! * unit], [0.100437089891], Math.max(tolerance, 1e-11));
  const rates = (await lab.read(etaDot)).map((rate) => rate * unit);
  assertNear(rates, [-0.00873345716, -0.00982863126], Math.max(tolerance, 1e-9));
});

onEach("nose_hoover solves the equations of motion for any splitting", async (backend) => {
  const velocities = normals(30, 5, 2e-2);
  for (const [parts, length] of [[1, 1], [1, 3], [3, 3], [5, 4]] as const) {
    using lab = await Lab.open(backend, [10]);
    const given = { velocities, dt: 2, temperature: 300, time: 60, freedom: 27, length, parts };
    const { half, moving, eta, etaDot, bathEnergy } = chained(lab, given);
    const steps = 30;
    await lab.run([half], steps);
    const exact = integrated(given, steps);
    const near = parts === 1 ? 2e-4 : 2e-6;
    const [v, e, rates] = await lab.readAll([moving, eta, etaDot]);
    assertNear(v!, velocities.map((x) => x * exact.scale), near, 2e-2);
    assertNear(e!, exact.eta, near, 1);
    assertNear(rates!, exact.etaDot, near, 1 / 60);
    const [bath] = await lab.read(bathEnergy);
    const before = kinetic(velocities);
    // No forces: what the chain has it has from the kinetic energy.
    assertNear([bath! + kinetic(v!)], [before], near, before);
  }
});

function kinetic(velocities: readonly number[]): number {
  return velocities.reduce((sum, v) => sum + v * v, 0) / 2 / ACCELERATION;
}

/** The same by the classic method of Runge and Kutta, in steps of 1/50 fs. */
function integrated(given: Chained, halfSteps: number) {
  const { length, freedom, time, temperature } = given;
  const kT = BOLTZMANN * temperature, rest = kT * time * time;
  const masses = Array.from({ length }, (_, k) => k === 0 ? freedom * rest : rest);
  const twice = 2 * kinetic(given.velocities);
  const slope = (y: readonly number[]) => {
    const rate = (k: number) => y[1 + length + k]!;
    const forces = masses.map((mass, k) => {
      const drive = k === 0
        ? twice * Math.exp(2 * y[0]!) - freedom * kT
        : masses[k - 1]! * rate(k - 1) ** 2 - kT;
      return drive / mass - (k + 1 < length ? rate(k) * rate(k + 1) : 0);
    });
    return [-rate(0), ...y.slice(1 + length), ...forces];
  };
  let y = new Array<number>(1 + 2 * length).fill(0);
  const h = 0.02;
  for (let i = 0; i < halfSteps * given.dt / 2 / h - 0.5; i++) {
    const plus = (k: readonly number[], by: number) => y.map((one, n) => one + by * k[n]!);
    const a = slope(y), b = slope(plus(a, h / 2)), c = slope(plus(b, h / 2)), d = slope(plus(c, h));
    y = y.map((one, n) => one + h / 6 * (a[n]! + 2 * b[n]! + 2 * c[n]! + d[n]!));
  }
  return { scale: Math.exp(y[0]!), eta: y.slice(1, 1 + length), etaDot: y.slice(1 + length) };
}

onEach(
  "nose_hoover ignores inactive systems, and those without degrees of freedom",
  async (backend) => {
    for (const given of [{ freedom: 0, active: 1 }, { freedom: 6, active: 0 }]) {
      using lab = await Lab.open(backend, [2], { active: [given.active] });
      const velocities = normals(6, 3, 1e-2);
      const { half, moving, eta, etaDot, bathEnergy } = chained(lab, {
        velocities,
        dt: 2,
        temperature: 300,
        time: 60,
        length: 2,
        freedom: given.freedom,
      });
      await lab.run([half], 3);
      assertEquals(await lab.read(moving), velocities);
      assertEquals((await lab.readAll([eta, etaDot, bathEnergy])).flat(), [0, 0, 0, 0, 0]);
    }
  },
);

Deno.test("splitting with three and five weights cancels errors of third order", () => {
  for (const [count, parts] of Object.entries(SUB_STEPS)) {
    assertEquals(parts.length, Number(count));
    assertEquals([...parts].reverse(), parts);
    assertNear([parts.reduce((sum, part) => sum + part, 0)], [1], 1e-15);
    const third = parts.reduce((sum, part) => sum + part ** 3, 0);
    if (parts.length > 1) assertNear([third], [0], 1e-15, 1);
    else assert(third === 1);
  }
});
