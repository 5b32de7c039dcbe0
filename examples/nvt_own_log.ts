/**
 * Runs at constant temperature with a custom log: columns that are functions of the context, and rows that go to a
 * function.
 *
 * Run: `deno run examples/nvt_own_log.ts`
 */
import { Batch, fcc, initVelocities, lennardJones, LoggingHook, NVTLangevin } from "@hooke/hooke";
import type { LogRow } from "@hooke/hooke/observe";

const batch = Batch.from([3, 2].map((cells) => fcc({ element: "Ar", a: 5.26, cells })));
initVelocities(batch, 60, { seed: 1 });
const atoms = [108, 32];

const temperatures: number[][] = [[], []];
function write(step: number, rows: readonly LogRow[]): void {
  for (const { systemId, temperature, perAtom } of rows) {
    temperatures[systemId]!.push(temperature);
    if (step % 1000 > 0) continue;
    console.log(`step ${step}, system ${systemId}: ${perAtom!.toFixed(4)} eV per atom`);
  }
}

await using md = new NVTLangevin({
  model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
  dt: 4,
  temperature: [60, 30],
  friction: 0.02,
  seed: 2,
  hooks: [
    new LoggingHook({
      backend: "custom",
      writerFn: write,
      frequency: 20,
      customScalars: {
        perAtom: ({ read }) => Array.from(read.energy!, (energy, s) => energy / atoms[s]!),
      },
    }),
  ],
});
await md.run(batch, 3001);

for (const [system, all] of temperatures.entries()) {
  const late = all.slice(50), mean = late.reduce((a, b) => a + b) / late.length;
  console.log(`system ${system}: ${mean.toFixed(1)} K on average of ${late.length} rows`);
}
