/** Ensembles at constant pressure, in seeded runs with the same numbers every time. */
import { assertAlmostEquals } from "@std/assert";
import { Batch, fcc, initVelocities, System } from "../../src/batch/mod.ts";
import { BAR, NPT, type PressureCoupling } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { BOLTZMANN } from "../../src/kernels/constants.ts";
import { type Model, potential } from "../../src/models/mod.ts";
import { COUPLINGS, SMOOTH, volumeOf } from "./npt_case.ts";
import { Moments } from "./moments.ts";

interface Sampling {
  readonly model: Model;
  readonly temperature: number;
  /** eV/Å³; system s has the s-th, over and over. */
  readonly pressures: readonly number[];
  readonly pressureCoupling: PressureCoupling;
  readonly thermostatTime: number;
  readonly barostatTime: number;
  /** Steps that do not count, steps that do, and how many of them lie between two looks. */
  readonly steps: readonly [before: number, counted: number, between: number];
}

/** Volumes, kinetic energies and pressures inside, for each pressure outside. */
async function sample(batch: Batch, sampling: Sampling) {
  const { model, temperature, pressures, pressureCoupling } = sampling;
  const { thermostatTime, barostatTime, steps: [before, counted, between] } = sampling;
  const all = pressures.map(() => ({
    volume: new Moments(),
    kinetic: new Moments(),
    pressure: new Moments(),
  }));
  const watch = hook({
    name: "watch",
    frequency: between,
    after: before,
    reads: ["cell", "kineticEnergy", "stress"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read: { cell, kineticEnergy, stress } }) => {
          for (let s = 0; s < batch.size; s++) {
            const { volume, kinetic, pressure } = all[s % pressures.length]!;
            const v = volumeOf(cell, s), k = kineticEnergy[s]!, at = 9 * s;
            volume.add(v);
            kinetic.add(k);
            pressure.add(2 * k / (3 * v) - (stress[at]! + stress[at + 4]! + stress[at + 8]!) / 3);
          }
        },
      },
    },
  });
  await using md = new NPT({
    model,
    dt: 5,
    temperature,
    pressureCoupling,
    thermostatTime,
    barostatTime,
    pressure: Array.from({ length: batch.size }, (_, s) => pressures[s % pressures.length]!),
    device: "wasm",
    hooks: [watch],
  });
  await md.run(batch, before + counted);
  return all;
}

/** Atoms that do not know of each other. */
const IDEAL = potential(() => 0, { givesStress: true, name: "no forces" });

function gas(atoms: number, systems: number, temperature: number, removeCom = true): Batch {
  const batch = Batch.from(Array.from({ length: systems }, (_, s) => {
    const positions = Array.from({ length: 3 * atoms }, (_, i) => (7 * i + s) % 20);
    const symbols = new Array(atoms).fill("Ar");
    return new System({ symbols, positions, cell: [20, 20, 20], pbc: true });
  }));
  initVelocities(batch, temperature, { seed: 1, removeCom });
  return batch;
}

// With the center of mass at rest N atoms have 3 N − 3 degrees of freedom, and P(V) ∝ V^(N−1) e^(−pV/kT): a gamma
// distribution of shape N.
const GASES: readonly [PressureCoupling, thermostat: number, barostat: number, off: number][] = [
  ["isotropic", 50, 200, 0.05],
  ["isotropic", 200, 1000, 0.05],
  ["anisotropic", 50, 200, 0.08],
  // Shapes and sizes of an ideal gas hardly warm each other, and one chain has to do for both.
  ["triclinic", 100, 200, 0.1],
];

for (const [pressureCoupling, thermostatTime, barostatTime, off] of GASES) {
  Deno.test(`NPT, ${pressureCoupling}, ${thermostatTime} and ${barostatTime} fs: the volume of an ideal gas has its exact mean and variance`, async () => {
    const [atoms, temperature] = [8, 300];
    const kT = BOLTZMANN * temperature, pressure = atoms * kT / 8000, freedom = 3 * atoms - 3;
    const [found] = await sample(gas(atoms, 32, temperature), {
      model: IDEAL,
      temperature,
      pressures: [pressure],
      pressureCoupling,
      thermostatTime,
      barostatTime,
      steps: [2000, 40000, 20],
    });
    const { volume, kinetic } = found!;
    assertAlmostEquals(volume.mean / (atoms * kT / pressure), 1, 0.01);
    assertAlmostEquals(volume.variance / (atoms * (kT / pressure) ** 2), 1, off);
    assertAlmostEquals(kinetic.mean / (freedom / 2 * kT), 1, 0.005);
    assertAlmostEquals(kinetic.variance / (freedom / 2 * kT ** 2), 1, 0.03);
  });
}

for (const pressureCoupling of COUPLINGS) {
  Deno.test(`NPT, ${pressureCoupling}: argon at three pressures in one batch has each, its temperature, and the volume's spread`, async () => {
    const temperature = 50, kT = BOLTZMANN * temperature, freedom = 93;
    const crystal = fcc({ element: "Ar", a: 5.35, cells: 2 });
    const batch = Batch.from(Array.from({ length: 24 }, () => crystal));
    initVelocities(batch, temperature, { seed: 1 });
    const pressures = [300, 600, 900].map((p) => p * BAR);
    const found = await sample(batch, {
      model: SMOOTH,
      temperature,
      pressures,
      pressureCoupling,
      thermostatTime: 100,
      barostatTime: 300,
      steps: [1500, 20000, 10],
    });
    for (const [i, { pressure, kinetic }] of found.entries()) {
      assertAlmostEquals(pressure.mean / pressures[i]!, 1, 0.01);
      assertAlmostEquals(kinetic.mean / (freedom / 2 * kT), 1, 0.006);
      assertAlmostEquals(kinetic.variance / (freedom / 2 * kT ** 2), 1, 0.05);
    }
    // −dV/dp: by how the volume fluctuates at one pressure, and by how it changes from one to another.
    const [low, middle, high] = found.map(({ volume }) => volume);
    const slope = (low!.mean - high!.mean) / (pressures[2]! - pressures[0]!);
    assertAlmostEquals(middle!.variance / kT / slope, 1, 0.06);
  });
}

Deno.test("NPT: where the center of mass is free, an ideal gas has the room of one more atom", async () => {
  const [atoms, temperature] = [4, 300];
  const kT = BOLTZMANN * temperature, pressure = atoms * kT / 8000;
  const [found] = await sample(gas(atoms, 32, temperature, false), {
    model: IDEAL,
    temperature,
    pressures: [pressure],
    pressureCoupling: "isotropic",
    thermostatTime: 50,
    barostatTime: 200,
    steps: [2000, 40000, 20],
  });
  const { volume, kinetic } = found!;
  assertAlmostEquals(volume.mean / ((atoms + 1) * kT / pressure), 1, 0.01);
  assertAlmostEquals(volume.variance / ((atoms + 1) * (kT / pressure) ** 2), 1, 0.05);
  assertAlmostEquals(kinetic.mean / (3 * atoms / 2 * kT), 1, 0.005);
});
