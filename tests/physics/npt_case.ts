/** Runs at constant pressure that the tests measure. */
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import {
  BAR,
  Dynamics,
  type Integrator,
  nphIntegrator,
  type NPHOptions,
  nptIntegrator,
  type PressureCoupling,
} from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { signedVolume } from "../../src/kernels/cells/inverse.ts";
import { lennardJones, type Model } from "../../src/models/mod.ts";
import { type EngineBackend, where } from "../dynamics/backends.ts";

/** Argon by a potential without a step in its force: what is left is the error of the steps. */
export const SMOOTH: Model = lennardJones({
  epsilon: 0.0104,
  sigma: 3.4,
  cutoff: 6.5,
  truncation: "switch",
  switchWidth: 2,
});

/** Allowed changes of a cell. */
export const COUPLINGS: readonly PressureCoupling[] = ["isotropic", "anisotropic", "triclinic"];

/** Argon crystals of 32 atoms at 40 K, compressed or not: the lattice constant is 5.4 Å at rest and 1 kbar. */
export function solid(count = 1, a = 5.4): Batch {
  const crystal = fcc({ element: "Ar", a, cells: 2 });
  const batch = Batch.from(Array.from({ length: count }, () => crystal));
  initVelocities(batch, 40, { seed: 3 });
  return batch;
}

/** Default options of the integrators in these tests. */
export const GIVEN: NPHOptions = {
  dt: 4,
  pressure: 1000 * BAR,
  barostatTime: 400,
  temperature: 40,
};

/** Both schemes. */
export const SCHEMES: Readonly<Record<string, (options: Partial<NPHOptions>) => Integrator>> = {
  NPH: (options) => nphIntegrator({ ...GIVEN, ...options }),
  NPT: (options) => nptIntegrator({ ...GIVEN, temperature: 40, thermostatTime: 200, ...options }),
};

/** Returns the largest deviation of the conserved energy from its initial value, eV per atom. */
export async function conservedDrift(
  scheme: Integrator,
  batch: Batch,
  backend: EngineBackend,
  { steps, model = SMOOTH }: { steps: number; model?: Model },
): Promise<number> {
  let first = NaN, most = 0;
  const watch = hook({
    name: "watch",
    reads: ["conservedEnergy"],
    on: {
      dynamics: {
        BEFORE_STEP: ({ read }) => {
          if (Number.isNaN(first)) first = read.conservedEnergy[0]!;
        },
        AFTER_STEP: ({ read }) => {
          most = Math.max(most, Math.abs(read.conservedEnergy[0]! - first));
        },
      },
    },
  });
  await using md = new Dynamics(scheme, { model, ...where(backend), hooks: [watch] });
  await md.run(batch, steps);
  return most / batch.nodeCount;
}

/** The volume of a system, Å³. */
export function volumeOf(cell: ArrayLike<number>, system = 0): number {
  return Math.abs(signedVolume(cell, 9 * system));
}
