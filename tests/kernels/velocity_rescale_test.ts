import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { squaresOfGaussians } from "../../src/kernels/thermostats/squares.ts";
import { ACCELERATION, BOLTZMANN } from "../../src/kernels/constants.ts";
import { gaussians, philox, Stream } from "../../src/kernels/philox.ts";
import { velocityRescale } from "../../src/kernels/thermostats/velocity_rescale.ts";
import { assertNear, Lab, normals, onEach } from "./lab.ts";

interface Bath {
  sizes?: number[];
  freedom?: number[];
  velocities?: number[];
  temperature?: number;
  /** dt is 2 fs. */
  time?: number;
  active?: number[];
  ids?: number[];
  ages?: number[];
  seed?: [number, number];
}

const WEIGHT = ACCELERATION / 4;

/** Velocities after one step in a bath, and what the bath took. */
async function bathe(backend: string, bath: Bath): Promise<{ v: number[]; taken: number[] }> {
  const { sizes = [4], temperature = 300, time = 20, seed = [11, 12] } = bath;
  const { freedom = sizes.map((size) => 3 * size) } = bath;
  const atoms = sizes.reduce((sum, size) => sum + size, 0);
  const { active, ids, ages } = bath;
  const given = { active, ids, ages };
  using lab = await Lab.open(
    backend,
    sizes,
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  );
  const velocities = lab.real(bath.velocities ?? normals(3 * atoms, 1, 2e-2));
  const bathEnergy = lab.f64(sizes.map(() => 0));
  const each = (value: number) => lab.real(sizes.map(() => value));
  await lab.run([call(velocityRescale, {
    velocities,
    weights: lab.real(new Array(atoms).fill(WEIGHT)),
    dt: each(2),
    temperature: each(temperature),
    time: each(time),
    freedom: lab.i32(freedom),
    bathEnergy,
    seedLow: seed[0],
    seedHigh: seed[1],
  })]);
  return { v: await lab.read(velocities), taken: await lab.read(bathEnergy) };
}

function kinetic(velocities: readonly number[]): number {
  return velocities.reduce((sum, v) => sum + v * v, 0) / 2 / WEIGHT;
}

/** The first Gaussian numbers of a system, and all else that is drawn for it. */
function drawn(age: number, id: number, count: number) {
  const words = new Uint32Array(4), noise = new Float64Array(4);
  const draw = (i: number) => {
    philox(i, age, id, Stream.RESCALING, 11, 12, words);
    gaussians(words, noise);
  };
  draw(0);
  const first = noise[0]!;
  return { first, squares: squaresOfGaussians(count, draw, words, noise) };
}

onEach("velocity_rescale scales by the α of Bussi, Donadio and Parrinello", async (backend) => {
  for (const [time, temperature] of [[20, 300], [2000, 300], [0.5, 50], [20, 1e4]] as const) {
    const before = normals(12, 1, 2e-2);
    const { v, taken } = await bathe(backend, { time, temperature, ages: [6] });
    const { first, squares } = drawn(6, 7, 11);
    // As in the paper, with K̄ = 12 kT/2.
    const c = Math.exp(-2 / time), ratio = BOLTZMANN * temperature / 2 / kinetic(before);
    const square = c + ratio * (1 - c) * (first ** 2 + squares) +
      2 * Math.exp(-1 / time) * Math.sqrt(ratio * (1 - c)) * first;
    const sign = Math.sign(first + Math.sqrt(c / (1 - c) / ratio));
    const tolerance = backend === "reference" ? 1e-12 : 3e-6;
    assertNear(v, before.map((x) => sign * Math.sqrt(square) * x), tolerance, 2e-2);
    const left = kinetic(before) - kinetic(v);
    assertNear(taken, [left], tolerance, kinetic(before));
  }
});

onEach(
  "velocity_rescale agrees with a Langevin thermostat for one degree of freedom",
  async (backend) => {
    const turned: boolean[] = [];
    for (let age = 0; age < 12; age++) {
      const { v } = await bathe(backend, {
        sizes: [1],
        freedom: [1],
        velocities: [5e-3, 0, 0],
        time: 2,
        ages: [age],
      });
      const keep = Math.exp(-2 / 2 / 2);
      const thermal = Math.sqrt(BOLTZMANN * 300 * WEIGHT);
      const expected = keep * 5e-3 + Math.sqrt(1 - keep * keep) * thermal * drawn(age, 7, 0).first;
      assertNear(v, [expected, 0, 0], backend === "reference" ? 1e-12 : 3e-6, 2e-2);
      turned.push(v[0]! < 0);
    }
    assert(turned.includes(true) && turned.includes(false));
  },
);

onEach("velocity_rescale at 0 K removes energy as e^(-t/τ)", async (backend) => {
  const { v, taken } = await bathe(backend, { temperature: 0, time: 20 });
  const before = normals(12, 1, 2e-2), keep = Math.exp(-2 / 20 / 2);
  const tolerance = backend === "reference" ? 1e-12 : 1e-6;
  assertNear(v, before.map((x) => keep * x), tolerance, 2e-2);
  assertNear(taken, [kinetic(before) * (1 - keep * keep)], tolerance, kinetic(before));
});

onEach(
  "velocity_rescale does not change a bit of inactive systems, or without degrees of freedom",
  async (backend) => {
    const still = new Array(12).fill(0), moving = normals(12, 1, 2e-2);
    for (
      const bath of [
        { velocities: still },
        { velocities: moving, freedom: [0] },
        { velocities: moving, active: [0] },
      ] as (Bath & { velocities: number[] })[]
    ) {
      const { v, taken } = await bathe(backend, bath);
      assertEquals(v, bath.velocities);
      assertEquals(taken, [0]);
    }
  },
);

onEach("random numbers of velocity_rescale differ by id, age and seed", async (backend) => {
  const base = { ids: [42], ages: [3] };
  const { v } = await bathe(backend, base);
  for (
    const other of [{ ids: [43] }, { ages: [4] }, { seed: [12, 12] }, { seed: [11, 13] }] as Bath[]
  ) {
    assertNotEquals((await bathe(backend, { ...base, ...other })).v, v);
  }
});

onEach("velocity_rescale draws kinetic energies of the canonical ensemble", async (backend) => {
  const systems = 20_000;
  for (const freedom of [1, 2, 3, 4, 5, 6]) {
    // A coupling so strong that nothing is left of before.
    const { v } = await bathe(backend, {
      sizes: new Array(systems).fill(2),
      freedom: new Array(systems).fill(freedom),
      time: 0.02,
    });
    const kT = BOLTZMANN * 300;
    const sampled = Array.from(
      { length: systems },
      (_, s) => 2 * kinetic(v.slice(6 * s, 6 * s + 6)) / kT,
    );
    const mean = sampled.reduce((sum, x) => sum + x, 0) / systems;
    const moment = (n: number) => sampled.reduce((sum, x) => sum + (x - mean) ** n, 0) / systems;
    // χ² by degrees of freedom: g, 2g, 8g, within five standard errors.
    assertNear([mean], [freedom], 5 * Math.sqrt(2 / freedom / systems));
    const fourth = 12 * freedom * (freedom + 4);
    const spread = Math.sqrt((fourth - 4 * freedom ** 2) / systems);
    assertNear([moment(2)], [2 * freedom], 5 * spread / 2 / freedom);
    assertNear([moment(3)], [8 * freedom], 0.5);
  }
});
