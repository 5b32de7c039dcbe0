import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { ACCELERATION, BOLTZMANN } from "../../src/kernels/constants.ts";
import { gaussians, philox, Stream, uniform } from "../../src/kernels/philox.ts";
import { thermalize } from "../../src/kernels/thermostats/thermalize.ts";
import { assertNear, Lab, normals, onEach } from "./lab.ts";

interface Bath {
  sizes?: number[];
  ids?: number[];
  ages?: number[];
  active?: number[];
  friction?: number;
  temperature?: number;
  velocities?: (size: number) => number[];
  seed?: [number, number];
  steps?: number;
  /** Takes what the bath took out of each system. */
  taken?: number[];
}

/** Velocities after some steps in a bath, of atoms of weight ACCELERATION/4. */
async function bathe(backend: string, bath: Bath): Promise<number[]> {
  const { sizes = [5], friction = 1e-2, temperature = 300, seed = [11, 12] } = bath;
  const { ids, ages, active } = bath;
  const given = { ids, ages, active };
  using lab = await Lab.open(
    backend,
    sizes,
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  );
  const velocities = lab.real(
    sizes.flatMap((n) => bath.velocities?.(n) ?? normals(3 * n, 1, 1e-2)),
  );
  const weights = lab.real(sizes.flatMap((n) => new Array(n).fill(ACCELERATION / 4)));
  const each = (value: number) => lab.real(sizes.map(() => value));
  const bathEnergy = bath.taken && lab.f64(sizes.map(() => 0));
  await lab.run([call(thermalize, {
    ...(bathEnergy && { bathEnergy }),
    velocities,
    weights,
    dt: each(2),
    temperature: each(temperature),
    friction: each(friction),
    seedLow: seed[0],
    seedHigh: seed[1],
  })], bath.steps);
  if (bathEnergy) bath.taken!.push(...await lab.read(bathEnergy));
  return await lab.read(velocities);
}

onEach("thermalize without friction does not change a bit", async (backend) => {
  const velocities = (n: number) => [-0, ...normals(3 * n - 1, 2)];
  const found = await bathe(backend, { friction: 0, velocities });
  assertEquals(found, velocities(5));
  assert(Object.is(found[0], -0));
});

onEach("thermalize keeps exp(-γ dt) of a velocity in a bath of 0 K", async (backend) => {
  const velocities = () => [1, -2, 3];
  const keep = Math.exp(-0.02);
  const tolerance = backend !== "reference" ? 1e-6 : 1e-15;
  assertNear(
    await bathe(backend, { sizes: [1], temperature: 0, velocities }),
    [keep, -2 * keep, 3 * keep],
    tolerance,
  );
});

onEach("thermalize adds noise that depends only on (seed, atom, age, id)", async (backend) => {
  const v = await bathe(backend, {
    friction: 1e3,
    velocities: (n) => new Array(3 * n).fill(0),
    ages: [6],
  });
  const width = Math.sqrt(BOLTZMANN * 300 * ACCELERATION / 4);
  const words = new Uint32Array(4), four = new Float64Array(4);
  const tolerance = backend !== "reference" ? 2e-6 : 1e-12;
  for (let atom = 0; atom < 5; atom++) {
    philox(atom, 6, 7, Stream.THERMOSTAT, 11, 12, words);
    gaussians(words, four);
    const expected = [...four.subarray(0, 3)].map((x) => width * x);
    assertNear(v.slice(3 * atom, 3 * atom + 3), expected, tolerance, width);
  }
});

onEach("thermalize is exact for steps of any length", async (backend) => {
  const thermal = Math.sqrt(BOLTZMANN * 300 * ACCELERATION / 4);
  const words = new Uint32Array(4), four = new Float64Array(4);
  philox(0, 0, 7, Stream.THERMOSTAT, 11, 12, words);
  gaussians(words, four);
  for (const friction of [1e-3, 0.05, 0.5]) {
    const found = await bathe(backend, {
      sizes: [1],
      friction,
      velocities: () => [1e-3, 2e-3, -3e-3],
    });
    // The bath above steps by 2 fs.
    const keep = Math.exp(-2 * friction), add = thermal * Math.sqrt(1 - keep * keep);
    const expected = [1e-3, 2e-3, -3e-3].map((v, k) => keep * v + add * four[k]!);
    assertNear(found, expected, backend !== "reference" ? 2e-6 : 1e-12, thermal);
  }
});

onEach(
  "thermalize counts the removed energy, and counting does not change velocities",
  async (backend) => {
    const sizes = [5, 70, 0, 129];
    const velocities = (n: number) => normals(3 * n, n, 1e-2);
    const kinetic = (v: readonly number[]) => v.reduce((sum, x) => sum + x * x, 0) / 2 * 4;
    for (const friction of [1e-4, 0.05, 1e3]) {
      const taken: number[] = [];
      const after = await bathe(backend, { sizes, velocities, friction, taken });
      assertEquals(await bathe(backend, { sizes, velocities, friction }), after);
      let at = 0;
      const expected = sizes.map((n) => {
        const system = after.slice(3 * at, 3 * (at += n));
        return (kinetic(velocities(n)) - kinetic(system)) / ACCELERATION;
      });
      const whole = 129 * 3 / 2 * BOLTZMANN * 300;
      assertNear(taken, expected, backend === "reference" ? 1e-12 : 1e-7, whole);
    }
  },
);

Deno.test("uniform random numbers are never 0 or 1", () => {
  assertEquals(uniform(0), 2 ** -32);
  assertEquals(uniform(0xffffffff), 1 - 2 ** -32);
});

onEach("noise of thermalize has the moments of a normal distribution", async (backend) => {
  const width = Math.sqrt(BOLTZMANN * 300 * ACCELERATION / 4);
  const noise = (await bathe(backend, {
    sizes: [50000],
    friction: 1e3,
    velocities: (n) => new Array(3 * n).fill(0),
  })).map((v) => v / width);
  const moment = (k: number) => noise.reduce((sum, x) => sum + x ** k, 0) / noise.length;
  // Five standard errors of each moment.
  const far = 5 / Math.sqrt(noise.length);
  assertNear([moment(1)], [0], far, 1);
  assertNear([moment(2)], [1], far * Math.sqrt(2), 1);
  assertNear([moment(3)], [0], far * Math.sqrt(15), 1);
  assertNear([moment(4)], [3], far * Math.sqrt(96) / 3);
  const neighbors = noise.slice(1).reduce((sum, x, i) => sum + x * noise[i]!, 0) / noise.length;
  assertNear([neighbors], [0], far, 1);
});

onEach("noise of thermalize differs by id, age and seed", async (backend) => {
  const base = { sizes: [6], ids: [42], ages: [3] };
  const noise = await bathe(backend, base);
  for (
    const other of [{ ids: [43] }, { ages: [4] }, { seed: [12, 12] }, { seed: [11, 13] }] as Bath[]
  ) {
    assertNotEquals(await bathe(backend, { ...base, ...other }), noise);
  }
});
