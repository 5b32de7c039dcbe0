/**
 * Relaxes many structures in one batch, each independently: a converged crystal is not updated while others continue.
 * Compares L-BFGS with FIRE from the same positions.
 *
 * Run: `deno run examples/relax_batch.ts [systems]`
 */
import { Batch, ConvergenceHook, fcc, FIRE, LBFGS, lennardJones, rattle } from "@hooke/hooke";

const count = Number(Deno.args[0] ?? 64);
const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
const rattled = Array.from({ length: count }, (_, i) => rattle(crystal, 0.02 + 0.2 * i / count, i));
const options = {
  model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
  hooks: [ConvergenceHook.fromFmax(0.001)],
  nSteps: 1000,
};

for (const engine of [new FIRE({ ...options, dt: 0.5 }), new LBFGS(options)]) {
  const batch = Batch.from(rattled);
  await engine.run(batch);
  const steps = [...batch.get("stepsDone")].sort((a, b) => a - b);
  const highest = Math.max(...batch.get("energy").map((energy, s) => energy / atomsOf(batch, s)));
  console.log(
    `${engine.name}: ${
      batch.get("status").filter((status) => status === 1).length
    } of ${count} relaxed`,
    `in ${steps[0]} to ${steps.at(-1)} steps, none above ${highest.toFixed(5)} eV per atom`,
  );
  await engine.close();
}

function atomsOf({ nodeOffsets }: Batch, system: number): number {
  return nodeOffsets[system + 1]! - nodeOffsets[system]!;
}
