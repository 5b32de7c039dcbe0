/** Ensembles that Langevin dynamics samples, in seeded runs with the same numbers every time. */
import { assertAlmostEquals, assertEquals, assertLess } from "@std/assert";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import { NVTLangevin } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { BOLTZMANN } from "../../src/kernels/constants.ts";
import { tethers } from "../../src/models/mod.ts";
import { ARGON, argon } from "../dynamics/atoms.ts";
import { BACKENDS, on, PAIR_BACKENDS, where } from "../dynamics/backends.ts";
import { Moments } from "./moments.ts";

const [TEMPERATURE, STIFFNESS] = [120, 0.5];

/** 500 atoms far apart, each tied to its place, all in one system. */
function wells(): Batch {
  const positions = Array.from({ length: 1500 }, (_, i) => 20 * (Math.floor(i / 3) % 8) * (i % 3));
  const symbols = Array.from({ length: 500 }, (_, i) => i % 2 === 0 ? "Ar" : "Ne");
  return Batch.from([new System({ symbols, positions })]);
}

Deno.test(
  "Langevin in harmonic wells samples kT of potential and of kinetic energy, with the right spread",
  on(BACKENDS, async (backend) => {
    const batch = wells();
    const start = batch.get("positions").slice();
    const [x, potential, kinetic] = [new Moments(), new Moments(), new Moments()];
    const watch = hook({
      name: "watch",
      frequency: 50,
      reads: ["positions", "energy", "kineticEnergy"],
      on: {
        dynamics: {
          AFTER_STEP: ({ read, stepCount }) => {
            if (stepCount < 1000) return;
            for (let i = 0; i < 1500; i++) x.add(read.positions[i]! - start[i]!);
            potential.add(read.energy[0]!);
            kinetic.add(read.kineticEnergy[0]!);
          },
        },
      },
    });
    await using md = new NVTLangevin({
      model: tethers({ stiffness: STIFFNESS }),
      ...where(backend),
      hooks: [watch],
      dt: 10,
      temperature: TEMPERATURE,
      friction: 0.02,
      seed: 11,
    });
    await md.run(batch, 31_000);
    const kT = BOLTZMANN * TEMPERATURE;
    assertEquals(kinetic.count, 600);
    // 1500 coordinates, 600 times, about one in two independent: 1 in 600 or so for the variance.
    const error = kT / STIFFNESS * Math.sqrt(2 / 450_000);
    assertAlmostEquals(x.variance, kT / STIFFNESS, 4 * error);
    assertAlmostEquals(x.mean, 0, 4 * Math.sqrt(kT / STIFFNESS / 450_000));
    // ½ kT for each of 1500 ways to move, spread by kT √750; a mean of 300 independent ones.
    const spread = kT * Math.sqrt(750);
    assertAlmostEquals(potential.mean, 750 * kT, 4 * spread / Math.sqrt(300));
    // Half a step after the bath the kinetic energy lacks (ω dt)²/4 of it at most: 0.3 % for the lighter atoms.
    assertAlmostEquals(kinetic.mean, 750 * kT, 4 * spread / Math.sqrt(300) + 0.003 * 750 * kT);
    // A variance of 600 numbers is known to √(2/300), 8 %.
    assertAlmostEquals(Math.sqrt(potential.variance) / spread, 1, 0.16);
    assertAlmostEquals(Math.sqrt(kinetic.variance) / spread, 1, 0.16);
  }),
);

Deno.test(
  "Langevin brings argon from rest to each system's temperature, and keeps it there",
  on(PAIR_BACKENDS, async (backend) => {
    const temperatures = [20, 40, 60];
    const batch = Batch.from([argon(3, 0, 0), argon(3, 1, 0), argon(3, 2, 0)]);
    initVelocities(batch, 1, { seed: 1, removeCom: false });
    const seen = temperatures.map(() => new Moments());
    const watch = hook({
      name: "watch",
      frequency: 20,
      reads: ["temperature"],
      on: {
        dynamics: {
          AFTER_STEP: ({ read, stepCount }) => {
            if (stepCount < 2000) return;
            for (const [s, moments] of seen.entries()) moments.add(read.temperature[s]!);
          },
        },
      },
    });
    await using md = new NVTLangevin({
      model: ARGON,
      ...where(backend),
      hooks: [watch],
      dt: 5,
      temperature: temperatures,
      friction: 0.01,
      seed: 7,
    });
    await md.run(batch, 12_000);
    for (const [s, target] of temperatures.entries()) {
      const { mean, variance } = seen[s]!;
      // T √(2/324) is the spread of one; 500 of them, about one in two independent: 0.5 % each.
      assertAlmostEquals(mean / target, 1, 0.02);
      assertAlmostEquals(Math.sqrt(variance) / (target * Math.sqrt(2 / 324)), 1, 0.15);
    }
  }),
);

Deno.test(
  "a bath of temperature 0 takes all motion away",
  on(PAIR_BACKENDS, async (backend) => {
    const batch = Batch.from([argon(2, 0)]);
    initVelocities(batch, 80, { seed: 1 });
    await using md = new NVTLangevin({
      model: ARGON,
      ...where(backend),
      dt: 5,
      temperature: 0,
      friction: 0.05,
    });
    await md.run(batch, 4000);
    // At 80 K it was 1e-3 Å/fs; the rounding of float32 forces keeps the atoms trembling.
    const still = backend === "reference" ? 1e-8 : 1e-6;
    assertLess(Math.max(...batch.get("velocities").map(Math.abs)), still);
    assertAlmostEquals(batch.get("energy")[0]! / 32, -0.07760965343394322, 1e-6);
  }),
);
