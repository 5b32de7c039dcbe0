import { signedVolume } from "../cells/inverse.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  velocities: "real",
  weights: "real",
  cell: "real",
  cellLow: "f64",
  virial: "f64",
  parameters: "f64",
  freedom: "i32",
  rate: "f64 changed",
  bathEnergy: "f64 changed",
  coupling: "number",
} as const;

/** Indices in a row of `parameters`. There is one row per system. */
export const BarostatParameter = {
  /** Time step, fs. */
  DT: 0,
  /** External pressure, eV/Å³. */
  PRESSURE: 1,
  /** k_B T, eV. */
  KT: 2,
  /** Relaxation time of the cell, fs. */
  TIME: 3,
  /** Length of a row. */
  LENGTH: 4,
} as const;

/** Deformations of the cell that a barostat allows. Each value is the number of degrees of freedom of the cell. */
export const Coupling = {
  /** The volume, with a fixed shape. */
  ISOTROPIC: 1,
  /** The lengths along x, y and z. */
  ANISOTROPIC: 3,
  /** All lengths and angles. */
  TRICLINIC: 6,
} as const;

const force = new Float64Array(9), whole = new Float64Array(9);

/**
 * Kicks the cell over half a step (Martyna, Tobias, Klein, J. Chem. Phys. 101, 4177, 1994): ν += ½
 * dt G/W, with G = Σ v⊗v/w + Ξ − p V + (2 K/f) 1 and W = (f/3 + 1) k_B T τ². Of G, an isotropic
 * barostat uses the mean of the diagonal, an anisotropic one the diagonal, and a triclinic one the
 * symmetric part, which does not rotate the cell.
 *
 * | symbol | argument | unit |
 * |---|---|---|
 * | ν | `rate`: of strain, nine per system, symmetric | 1/fs |
 * | v, w | `velocities`; `weights`: ACCELERATION / mass per atom, 0 for an atom that cannot move | Å/fs, Å²/(fs² eV) |
 * | K | ½ Σ v²/w | eV |
 * | Ξ | `virial`: −dE/dε | eV |
 * | V | of `cell` with `cellLow`, its rounding error | Å³ |
 * | f | `freedom`: degrees of freedom, per system | |
 * | dt, p, k_B T, τ | `parameters`: {@linkcode BarostatParameter}.LENGTH numbers per system | fs, eV/Å³, eV, fs |
 * | | `coupling`: one of {@linkcode Coupling} | |
 *
 * `bathEnergy` becomes p V + ½ W Tr ν², eV: the part of the conserved energy that belongs to the
 * cell.
 */
export const barostatKick: Kernel<typeof args> = defineKernel(
  "barostat_kick",
  args,
  (values, { systems, offsets, active }) => {
    const { cell, cellLow, virial, parameters, freedom, rate, bathEnergy, coupling } = values;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      addKinetic(values, offsets[s]!, offsets[s + 1]!);
      for (let k = 0; k < 9; k++) whole[k] = cell[9 * s + k]! + cellLow[9 * s + k]!;
      const p = BarostatParameter.LENGTH * s;
      const work = parameters[p + BarostatParameter.PRESSURE]! * Math.abs(signedVolume(whole, 0));
      const f = freedom[s]!;
      const each = f > 0 ? (force[0]! + force[4]! + force[8]!) / f : 0;
      for (let k = 0; k < 9; k++) {
        const mirrored = k % 3 * 3 + Math.floor(k / 3);
        force[k]! += (virial[9 * s + k]! + virial[9 * s + mirrored]!) / 2;
        if (k % 4 === 0) force[k]! += each - work;
        else if (coupling !== Coupling.TRICLINIC) force[k] = 0;
      }
      if (coupling === Coupling.ISOTROPIC) {
        force[0] = force[4] = force[8] = (force[0]! + force[4]! + force[8]!) / 3;
      }
      const inertia = inertiaOf(parameters, s, f);
      const kick = parameters[p + BarostatParameter.DT]! / 2 / inertia;
      let square = 0;
      for (let k = 0; k < 9; k++) {
        const nu = rate[9 * s + k]! + kick * force[k]!;
        rate[9 * s + k] = nu;
        square += nu * nu;
      }
      bathEnergy[s] = work + inertia * square / 2;
    }
  },
);

/** Returns the inertia W of the cell of a system with `freedom` degrees of freedom, eV fs². */
export function inertiaOf(parameters: Float64Array, system: number, freedom: number): number {
  const p = BarostatParameter.LENGTH * system;
  const kT = parameters[p + BarostatParameter.KT]!, time = parameters[p + BarostatParameter.TIME]!;
  return (freedom / 3 + 1) * kT * time * time;
}

type Moving = Pick<Parameters<typeof barostatKick.run>[0], "velocities" | "weights">;

/** Adds Σ v⊗v/w over the atoms from `first` up to but not including `end` to `force`. */
function addKinetic({ velocities, weights }: Moving, first: number, end: number): void {
  let xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (let a = first; a < end; a++) {
    if (weights[a] === 0) continue;
    const [x, y, z] = [velocities[3 * a]!, velocities[3 * a + 1]!, velocities[3 * a + 2]!];
    const mass = 1 / weights[a]!;
    xx += mass * x * x, xy += mass * x * y, xz += mass * x * z;
    yy += mass * y * y, yz += mass * y * z, zz += mass * z * z;
  }
  force[0] = xx, force[4] = yy, force[8] = zz;
  force[1] = force[3] = xy, force[2] = force[6] = xz, force[5] = force[7] = yz;
}
