import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { ACCELERATION, BOLTZMANN } from "../../src/kernels/constants.ts";
import { conservedEnergy } from "../../src/kernels/measure/conserved_energy.ts";
import { energyChange } from "../../src/kernels/measure/energy_change.ts";
import { fmax } from "../../src/kernels/measure/fmax.ts";
import { kineticEnergy } from "../../src/kernels/measure/kinetic_energy.ts";
import { temperature } from "../../src/kernels/measure/temperature.ts";
import { assertNear, Lab, normals, onEach } from "./lab.ts";

onEach(
  "fmax is the length of the largest force of each system, active or not",
  async (backend) => {
    using lab = await Lab.open(backend, [2, 5, 1], { active: [1, 1, 0] });
    const vectors = [[3, 4, 0], [0, 1, 0], [1, 0, 0], [0, 0, -2], [0, 0, 0], [1, 1, 1], [2, -3, 6]];
    const forces = lab.real([...vectors.flat(), 2, 10, 11]);
    const found = lab.f64([0, 0, -1]);
    await lab.run([call(fmax, { forces, fmax: found })]);
    assertEquals(await lab.read(found), [5, 7, 15]);
  },
);

onEach("fmax is NaN if any force is NaN", async (backend) => {
  for (let k = 0; k < 21; k++) {
    using lab = await Lab.open(backend, [7, 7]);
    const values = normals(42, 3);
    values[k] = NaN;
    const forces = lab.real(values), found = lab.f64([0, 0]);
    await lab.run([call(fmax, { forces, fmax: found })]);
    const [bad, good] = await lab.read(found);
    assertEquals([bad, Number.isFinite(good)], [NaN, true]);
  }
});

onEach(
  "kinetic_energy and temperature of two atoms, and of one at rest, have known values",
  async (backend) => {
    using lab = await Lab.open(backend, [2, 1], { active: [1, 0] });
    const velocities = lab.real([0.01, 0, 0, 0, 0.02, 0, 1, 1, 1]);
    const weights = lab.real([ACCELERATION, ACCELERATION / 4, ACCELERATION]);
    const kinetic = lab.f64([0, -1]), found = lab.f64([0, -1]), freedom = lab.i32([3, 3]);
    await lab.run([
      call(kineticEnergy, { velocities, weights, kinetic }),
      call(temperature, { kinetic, freedom, temperature: found }),
    ]);
    const expected = 0.5 * (1e-4 + 4 * 4e-4) / ACCELERATION;
    const both = [expected, 0.5 * 3 / ACCELERATION],
      tolerance = backend !== "reference" ? 1e-6 : 1e-14;
    assertNear(await lab.read(kinetic), both, tolerance);
    assertNear(
      await lab.read(found),
      both.map((energy) => 2 * energy / (3 * BOLTZMANN)),
      tolerance,
    );
  },
);

onEach(
  "an atom of 1 amu at 1 Å per unit of time has 3868.17 K with three degrees of freedom",
  async (backend) => {
    using lab = await Lab.open(backend, [1]);
    const velocities = lab.real([Math.sqrt(ACCELERATION), 0, 0]),
      weights = lab.real([ACCELERATION]);
    const kinetic = lab.f64([0]), found = lab.f64([0]);
    await lab.run([
      call(kineticEnergy, { velocities, weights, kinetic }),
      call(temperature, { kinetic, freedom: lab.i32([3]), temperature: found }),
    ]);
    assertNear(await lab.read(kinetic), [0.5], 1e-6);
    assertNear(await lab.read(found), [3868.1725], 1e-6);
  },
);

onEach(
  "an atom of mass 0 has no kinetic energy, and without degrees of freedom the temperature is 0",
  async (backend) => {
    using lab = await Lab.open(backend, [5]);
    const velocities = lab.real([...new Array(12).fill(0), 0.1, 0, 0]),
      weights = lab.real([1, 0, 1, 0, 0]);
    const kinetic = lab.f64([NaN]), found = lab.f64([NaN]);
    await lab.run([
      call(kineticEnergy, { velocities, weights, kinetic }),
      call(temperature, { kinetic, freedom: lab.i32([0]), temperature: found }),
    ]);
    assertEquals([await lab.read(kinetic), await lab.read(found)], [[0], [0]]);
  },
);

onEach(
  "conserved_energy is the sum of its three parts, also for inactive systems",
  async (backend) => {
    using lab = await Lab.open(backend, [1, 1], { active: [1, 0] });
    const conserved = lab.f64([0, 0]);
    await lab.run([call(conservedEnergy, {
      energy: lab.f64([-1000, -2]),
      kinetic: lab.f64([2 ** -20, 3]),
      bathEnergy: lab.f64([0.25, -8]),
      conserved,
    })]);
    assertEquals(await lab.read(conserved), [-999.75 + 2 ** -20, -7]);
  },
);

onEach("energy_change is infinite at first, then the difference", async (backend) => {
  using lab = await Lab.open(backend, [1, 1], { active: [1, 0] });
  const energy = lab.f64([3, 3]), previous = lab.f64([NaN, NaN]), change = lab.f64([0, 0]);
  const step = call(energyChange, { energy, previous, change });
  await lab.run([step]);
  assertEquals([await lab.read(change), await lab.read(previous)], [[Infinity, 0], [3, NaN]]);
  lab.backend.write(energy, [2.5, 2.5]);
  await lab.run([step]);
  assertEquals([await lab.read(change), await lab.read(previous)], [[-0.5, 0], [2.5, NaN]]);
});
