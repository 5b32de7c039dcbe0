/** Ensembles that thermostats sample, in seeded runs with the same numbers every time. */
import { assert, assertAlmostEquals, assertEquals, assertLess } from "@std/assert";
import { Batch, initVelocities, System } from "../../src/batch/mod.ts";
import { bussi, Dynamics, type Integrator, langevin, noseHoover } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { ACCELERATION, BOLTZMANN } from "../../src/kernels/constants.ts";
import { tethers } from "../../src/models/mod.ts";
import { ARGON, argon } from "../dynamics/atoms.ts";
import { type BackendName, on, PAIR_BACKENDS, where } from "../dynamics/backends.ts";
import { Moments } from "./moments.ts";

const [TEMPERATURE, COPIES, DT] = [60, 4, 5];
const kT = BOLTZMANN * TEMPERATURE;

/** Kinetic energies over k_B T of crystals of 32 atoms, by coupling time: a few of each in one batch. */
async function kineticEnergies(
  make: (times: readonly number[]) => Integrator,
  times: readonly number[],
  run: { backend: BackendName; steps: number },
): Promise<Moments[]> {
  const each = times.flatMap((time) => new Array<number>(COPIES).fill(time));
  const scheme = make(each);
  const batch = Batch.from(each.map((_, seed) => argon(2, seed)));
  initVelocities(batch, TEMPERATURE, { seed: 1, removeCom: scheme.keepsMomentum === true });
  const found = times.map(() => new Moments());
  const watch = hook({
    name: "watch",
    frequency: 10,
    reads: ["kineticEnergy"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read, stepCount }) => {
          if (stepCount < run.steps / 10) return;
          for (const s of each.keys()) {
            found[Math.floor(s / COPIES)]!.add(read.kineticEnergy[s]! / kT);
          }
        },
      },
    },
  });
  await using md = new Dynamics(scheme, { model: ARGON, ...where(run.backend), hooks: [watch] });
  await md.run(batch, run.steps);
  return found;
}

const SCHEMES: Readonly<Record<string, (times: readonly number[]) => Integrator>> = {
  "Nosé–Hoover chains": (thermostatTime) =>
    noseHoover({ dt: DT, temperature: TEMPERATURE, thermostatTime }),
  "stochastic rescaling": (thermostatTime) =>
    bussi({ dt: DT, temperature: TEMPERATURE, thermostatTime, seed: 1 }),
  "Langevin dynamics": (times) =>
    langevin({
      dt: DT,
      temperature: TEMPERATURE,
      friction: times.map((time) => 1 / time),
      seed: 1,
    }),
};

for (const [name, make] of Object.entries(SCHEMES)) {
  Deno.test(
    `${name}: kinetic energies are canonical in mean and variance, however strong the coupling`,
    on(PAIR_BACKENDS, async (backend) => {
      const isLong = backend === "wasm";
      const times = isLong ? [30, 100, 300, 1000] : [60];
      const found = await kineticEnergies(make, times, { backend, steps: isLong ? 40_000 : 6000 });
      const freedom = make(times).keepsMomentum ? 93 : 96;
      for (const [i, moments] of found.entries()) {
        // Four crystals for 180 ps: some 1500 independent ones where the bath is slow. Mean to 0.4 %, variance to 4 %.
        const mean = moments.mean / (freedom / 2), spread = moments.variance / (freedom / 2);
        assertAlmostEquals(mean, 1, isLong ? 0.015 : 0.03, `mean at ${times[i]} fs`);
        assertAlmostEquals(spread, 1, isLong ? 0.12 : 0.35, `variance at ${times[i]} fs`);
      }
    }),
  );
}

const STIFFNESS = 0.5;

/** 2E of an oscillator in one dimension, over k_B T: of its place, and of its motion. */
async function oscillators(scheme: Integrator, temperature: number, steps: number) {
  const count = 32, mass = 39.948;
  const thermal = Math.sqrt(BOLTZMANN * temperature * ACCELERATION / mass);
  const batch = Batch.from(
    Array.from({ length: count }, () => new System({ symbols: ["Ar"], positions: [0, 0, 0] })),
  );
  const speeds = Array.from({ length: count }, (_, s) => [thermal * (1 + s / 100), 0, 0]);
  batch.set("velocities", speeds.flat());
  batch.set("dofRemoved", new Array<number>(count).fill(2));
  const [place, motion] = [new Moments(), new Moments()];
  const watch = hook({
    name: "watch",
    frequency: 7,
    reads: ["positions", "kineticEnergy"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read, stepCount }) => {
          if (stepCount < 1000) return;
          for (let s = 0; s < count; s++) {
            const x = read.positions[3 * s]!;
            place.add(STIFFNESS * x * x / BOLTZMANN / temperature);
            motion.add(2 * read.kineticEnergy[s]! / BOLTZMANN / temperature);
          }
        },
      },
    },
  });
  const model = tethers({ stiffness: STIFFNESS });
  await using md = new Dynamics(scheme, { model, device: "wasm", hooks: [watch] });
  await md.run(batch, steps);
  assertEquals(batch.get("positions")[1], 0); // it has stayed on its line
  // Of a Gaussian distribution 1 and 3.
  return [place, motion].map((found) => [found.mean, found.moment(2)] as const);
}

Deno.test("a chain of three samples an oscillator; one thermostat alone does not", async () => {
  const chain = (chainLength: number) =>
    noseHoover({ dt: 5, temperature: 120, thermostatTime: 100, chainLength });
  for (const [first, second] of await oscillators(chain(3), 120, 60_000)) {
    assertAlmostEquals(first, 1, 0.015);
    assertAlmostEquals(second, 3, 0.08);
  }
  const [[, place]] = await oscillators(chain(1), 120, 60_000) as [readonly [number, number]];
  assertLess(place, 2);
});

Deno.test("stochastic rescaling samples the places of an oscillator and its motion", async () => {
  for (const thermostatTime of [20, 200]) {
    const scheme = bussi({ dt: 5, temperature: 120, thermostatTime, seed: 3 });
    const found = await oscillators(scheme, 120, 60_000);
    for (const [first, second] of found) {
      // 32 oscillators for 300 ps: some 20,000 independent ones where the bath is slow.
      assertAlmostEquals(first, 1, 0.04);
      assertAlmostEquals(second, 3, 0.25);
    }
  }
});

Deno.test("what baths give and take is counted over a long run, to a part of the energy of one atom", async () => {
  const times = [50, 500];
  const schemes = [
    noseHoover({ dt: DT, temperature: TEMPERATURE, thermostatTime: times }),
    bussi({ dt: DT, temperature: TEMPERATURE, thermostatTime: times }),
    langevin({ dt: DT, temperature: TEMPERATURE, friction: times.map((time) => 1 / time) }),
  ];
  for (const scheme of schemes) {
    const batch = Batch.from(times.map((_, seed) => argon(2, seed)));
    initVelocities(batch, TEMPERATURE, { seed: 1 });
    const first: number[] = [], last: number[] = [], heats = times.map(() => new Moments());
    const watch = hook({
      name: "watch",
      frequency: 100,
      reads: ["conservedEnergy", "energy", "kineticEnergy"],
      on: {
        dynamics: {
          AFTER_STEP: ({ read }) => {
            for (const s of times.keys()) {
              const conserved = read.conservedEnergy[s]!;
              first[s] ??= conserved;
              last[s] = conserved;
              heats[s]!.add(conserved - read.energy[s]! - read.kineticEnergy[s]!);
            }
          },
        },
      },
    });
    await using md = new Dynamics(scheme, { model: ARGON, device: "wasm", hooks: [watch] });
    await md.run(batch, 100_000);
    for (const s of times.keys()) {
      const off = Math.abs(last[s]! - first[s]!);
      assertLess(off, 1.5 * kT / 4, `${scheme.name}, ${times[s]} fs`);
      // What went in and out meanwhile.
      assert(Math.sqrt(heats[s]!.variance) > 20 * off, `${scheme.name}, ${times[s]} fs`);
    }
  }
});
