/**
 * Simulates liquid argon at the pressure of air, from a wrong density to its own: first molten at constant volume,
 * then with a thermostat and a barostat. It prints the density during the run, and the conserved quantity, which
 * should not drift.
 *
 * Run: `deno run examples/argon_npt.ts [PICOSECONDS]`
 * In a fresh clone `deno task std` goes before it, once.
 */
import {
  BAR,
  Batch,
  fcc,
  hook,
  initVelocities,
  lennardJones,
  NPT,
  NVTLangevin,
} from "@hooke/hooke";

const picoseconds = Number(Deno.args[0] ?? 32);
if (!(picoseconds >= 4)) {
  console.error("deno run examples/argon_npt.ts [PICOSECONDS], 4 or more; default 32");
  Deno.exit(2);
}
const DT = 4, TEMPERATURE = 94.4;
const steps = Math.round(1000 * picoseconds / DT);

const model = lennardJones({ epsilon: 0.01034, sigma: 3.405, cutoff: 12 });
const batch = Batch.from([fcc({ element: "Ar", a: 6.4, cells: 3 })]);

// 108 atoms on a lattice, which a picosecond at 250 K turns into a dense gas.
initVelocities(batch, 250, { seed: 1 });
await using melt = new NVTLangevin({ model, dt: DT, temperature: 250, friction: 0.01, seed: 1 });
await melt.run(batch, 250);
initVelocities(batch, TEMPERATURE, { seed: 2 });

/** Conversion from amu/Å³ to g/cm³. */
const GRAMS = 1.66053906660;
const mass = batch.get("masses").reduce((sum, m) => sum + m);
const densityOf = (cell: ArrayLike<number>) => GRAMS * mass / (cell[0]! * cell[4]! * cell[8]!);
console.log(`begins at ${densityOf(batch.get("cell")).toFixed(3)} g/cm³`);

const second = { count: 0, sum: 0 };
const watch = hook({
  name: "density",
  frequency: 10,
  reads: ["cell", "temperature", "conservedEnergy"],
  on: {
    dynamics: {
      AFTER_STEP: ({ stepCount, read: { cell, temperature, conservedEnergy } }) => {
        const density = densityOf(cell);
        if (2 * stepCount >= steps) {
          second.count++;
          second.sum += density;
        }
        if (stepCount % 1000 !== 0) return;
        console.log(
          `${stepCount * DT / 1000} ps: ${density.toFixed(3)} g/cm³, ${
            temperature[0]!.toFixed(0)
          } K, ` +
            `conserved ${conservedEnergy[0]!.toFixed(3)} eV`,
        );
      },
    },
  },
});

await using md = new NPT({
  model,
  dt: DT,
  temperature: TEMPERATURE,
  pressure: 1 * BAR,
  thermostatTime: 200,
  barostatTime: 1000,
  hooks: [watch],
});
await md.run(batch, steps);
console.log(`second half: ${(second.sum / second.count).toFixed(3)} g/cm³`);
