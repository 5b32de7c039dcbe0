/**
 * Combines two criteria: systems have converged when forces are small and the energy no longer changes.
 *
 * Run: `deno run examples/two_criteria.ts`
 */
import { Batch, ConvergenceHook, fcc, FIRE, hook, lennardJones, rattle } from "@hooke/hooke";
import type { Criterion } from "@hooke/hooke/dynamics";

const forces: Criterion = { key: "fmax", threshold: 0.05 };
const energies: Criterion = { key: "energyChange", threshold: 1e-6 };

/** Relaxes a crystal; returns the step in which it converged, and the energy that remained to be gained. */
async function relax(criteria: readonly Criterion[]): Promise<string> {
  let text = "did not converge";
  const tell = hook({
    name: "tell",
    reads: ["fmax", "energyChange"],
    on: {
      dynamics: {
        ON_CONVERGE: ({ stepCount, read: { fmax, energyChange } }) => {
          const change = Math.abs(energyChange.at(0)!).toExponential(0);
          text = `step ${stepCount}, fmax ${
            fmax.at(0)!.toFixed(4)
          } eV/Å, energy change ${change} eV`;
        },
      },
    },
  });
  await using opt = new FIRE({
    model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
    dt: 0.5,
    nSteps: 500,
    device: "reference", // energies to the last digit
    hooks: [new ConvergenceHook({ criteria }), tell],
  });
  await opt.run(Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]));
  return text;
}

console.log("forces alone:", await relax([forces]));
console.log("both:", await relax([forces, energies]));
