import { signedVolume } from "./cells/inverse.ts";
import { type Arrays, defineKernel, type Kernel, reportDiverged } from "./kernel.ts";

const args = {
  energies: "real optional",
  atomForces: "real optional",
  stresses: "real optional",
  constants: "f64 optional",
  cell: "real",
  forces: "real changed",
  energy: "f64 changed",
  virial: "f64 changed",
  perAtom: "number",
  energyUnit: "number",
  forceUnit: "number",
  stressUnit: "number",
} as const;

/**
 * Adds the results of a model graph to the forces, energies and virials of active systems. The arguments `energies`,
 * `atomForces` and `stresses` are optional. Each is multiplied by its unit (eV, eV/Å, eV/Å³).
 *
 * - `energies`: one number per system, or one per atom if `perAtom` is 1.
 * - `atomForces`: three numbers per atom.
 * - `stresses` σ: nine numbers per system, positive in tension.
 * - `constants`: energy in eV that is added to each system, such as the energies of its isolated atoms.
 *
 * The virial is W = −V σ, where V is the volume of the cell. The `stresses` of a system without a volume are ignored.
 * If a result of an active system is not finite, the kernel sets `Control.DIVERGED`, sets `Control.CAUSE` to 1 and
 * halts the run.
 */
export const addModel: Kernel<typeof args> = defineKernel(
  "add_model",
  args,
  (values, { systems, offsets, active, control }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const [from, to] = [offsets[s]!, offsets[s + 1]!];
      const isWell = [
        addEnergy(values, s, from, to),
        addForces(values, from, to),
        addStress(values, s),
      ];
      if (isWell.includes(false)) reportDiverged(control, s, 1);
    }
  },
);

/** Arguments of `addModel`, as the functions below use them. */
interface Given {
  readonly energies: Arrays["real"] | undefined;
  readonly atomForces: Arrays["real"] | undefined;
  readonly stresses: Arrays["real"] | undefined;
  readonly constants: Float64Array | undefined;
  readonly cell: Arrays["real"];
  readonly forces: Arrays["real"];
  readonly energy: Float64Array;
  readonly virial: Float64Array;
  readonly perAtom: number;
  readonly energyUnit: number;
  readonly forceUnit: number;
  readonly stressUnit: number;
}

// The three functions below return whether all numbers they added are finite.

function addEnergy(
  { energies, constants, energy, perAtom, energyUnit }: Given,
  s: number,
  from: number,
  to: number,
): boolean {
  if (energies === undefined) return true;
  let sum = 0;
  if (perAtom === 0) sum = energies[s]!;
  else for (let a = from; a < to; a++) sum += energies[a]!;
  const term = energyUnit * sum + (constants?.[s] ?? 0);
  energy[s]! += term;
  return Number.isFinite(term);
}

function addForces(
  { atomForces, forces, forceUnit }: Given,
  from: number,
  to: number,
): boolean {
  if (atomForces === undefined) return true;
  let isWell = true;
  for (let k = 3 * from; k < 3 * to; k++) {
    const term = forceUnit * atomForces[k]!;
    forces[k]! += term;
    isWell = isWell && Number.isFinite(term);
  }
  return isWell;
}

function addStress({ stresses, cell, virial, stressUnit }: Given, s: number): boolean {
  const volume = Math.abs(signedVolume(cell, 9 * s));
  if (stresses === undefined || volume === 0) return true;
  let isWell = true;
  for (let k = 9 * s; k < 9 * s + 9; k++) {
    const term = -volume * stressUnit * stresses[k]!;
    virial[k]! += term;
    isWell = isWell && Number.isFinite(term);
  }
  return isWell;
}
