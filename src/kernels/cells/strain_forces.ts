import { signedVolume } from "./inverse.ts";
import { alongPeriodic, deformation, inverted, strainLength } from "./deformation.ts";
import { product } from "./product.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  forces: "real",
  virial: "f64",
  cell: "real",
  pbc: "i32",
  energy: "f64 optional",
  parameters: "f64",
  strain: "real changed",
  reference: "real changed",
  cellForces: "real changed",
  pulled: "real optional",
  enthalpy: "f64 optional",
  stage: "i32 optional",
  first: "number",
  end: "number",
} as const;

/** Indices in a row of `parameters`. There is one row per system. */
export const StrainParameter = {
  /** External pressure, eV/Å³. */
  PRESSURE: 0,
  /** Nonzero if the cell keeps its shape. */
  ISOTROPIC: 1,
  /** Length of a row. */
  LENGTH: 2,
} as const;

/**
 * Computes the forces that drive the cell and the atoms of each system, in coordinates of the undeformed cell. The
 * cell is h = h₀ F and atoms are at x = u F, where F = 1 + q/κ is symmetric. With the enthalpy H = E + P V, the
 * forces are −∂H/∂u = f F and −∂H/∂q = sym((W − P V 1) F⁻¹)/κ.
 *
 * - `virial` W = −∂E/∂ε: nine numbers per system, eV.
 * - `parameters`: the pressure P, and whether the cell keeps its shape; see {@linkcode StrainParameter}.
 * - `cell` h, with the volume V: nine numbers per system, Å.
 * - `strain` q: nine numbers per system, Å; κ = 3 √n Å for n atoms.
 * - `reference`: h₀, and the h that was last computed from it, 18 numbers per system, Å.
 * - `cellForces`: the kernel writes −∂H/∂q.
 * - `pulled`, `enthalpy`: optional; the kernel writes f F and H.
 *
 * If anything else has changed the cell since it was last computed, the current cell becomes h₀, and q becomes 0.
 * Directions that are not periodic according to `pbc` exert no force on the cell. If the cell keeps its shape, each
 * periodic direction gets an equal part of the trace. Finished systems get forces, too, because hooks may read them;
 * their state does not change.
 *
 * If `stage` is given, the kernel handles only systems whose stage is at least `first` and below `end`.
 */
export const strainForces: Kernel<typeof args> = defineKernel(
  "strain_forces",
  args,
  (values, { systems, offsets, active }) => {
    const { cell, strain, reference, virial, parameters, cellForces } = values;
    const none = new Float64Array(9);
    for (let s = 0; s < systems; s++) {
      if (isElsewhere(s, values)) continue;
      const isChanged = hasChanged(s, values);
      if (isChanged && active[s] !== 0) {
        for (let k = 0; k < 9; k++) {
          strain[9 * s + k] = 0;
          reference[18 * s + k] = reference[18 * s + 9 + k] = cell[9 * s + k]!;
        }
      }
      const length = strainLength(offsets[s + 1]! - offsets[s]!);
      const f = isChanged ? deformation(none, 0, 1) : deformation(strain, 9 * s, length);
      const pressure = parameters[StrainParameter.LENGTH * s + StrainParameter.PRESSURE]!;
      const outside = pressure * Math.abs(signedVolume(cell, 9 * s));
      const stretching = virial.slice(9 * s, 9 * s + 9);
      for (let k = 0; k < 9; k += 4) stretching[k]! -= outside;
      const along = alongPeriodic(cell, 9 * s, values.pbc, 3 * s);
      const isIsotropic = parameters[StrainParameter.LENGTH * s + StrainParameter.ISOTROPIC] !== 0;
      const driven = restricted(times(stretching, inverted(f)), along, isIsotropic);
      for (let k = 0; k < 9; k++) cellForces[9 * s + k] = driven[k]! / length;
      if (values.enthalpy !== undefined) values.enthalpy[s] = values.energy![s]! + outside;
      if (values.pulled === undefined || active[s] === 0) continue;
      for (let a = offsets[s]!; a < offsets[s + 1]!; a++) pull(a, f, values);
    }
  },
);

type Given = Parameters<typeof strainForces.run>[0];

function isElsewhere(s: number, { stage, first, end }: Given): boolean {
  return stage !== undefined && !(first <= stage[s]! && stage[s]! < end);
}

/** Returns whether the cell of system s has changed since the kernel last computed it from the reference. */
function hasChanged(s: number, { cell, reference }: Given): boolean {
  for (let k = 0; k < 9; k++) if (cell[9 * s + k] !== reference[18 * s + 9 + k]) return true;
  return false;
}

function times(a: Float64Array, b: Float64Array): Float64Array {
  return product(a, b, new Float64Array(9));
}

/**
 * Returns the symmetric part of a force, projected onto the periodic directions; with `isIsotropic`, only its trace,
 * in equal parts.
 */
function restricted(force: Float64Array, along: Float64Array, isIsotropic: boolean): Float64Array {
  const symmetric = force.map((x, k) => 0.5 * (x + force[k % 3 * 3 + Math.floor(k / 3)]!));
  const inside = times(times(along, symmetric), along);
  if (!isIsotropic) return inside;
  const directions = along[0]! + along[4]! + along[8]!;
  const each = directions === 0 ? 0 : (inside[0]! + inside[4]! + inside[8]!) / directions;
  return along.map((x) => each * x);
}

function pull(a: number, f: Float64Array, { forces, pulled }: Given): void {
  for (let k = 0; k < 3; k++) {
    pulled![3 * a + k] = forces[3 * a]! * f[k]! + forces[3 * a + 1]! * f[3 + k]! +
      forces[3 * a + 2]! * f[6 + k]!;
  }
}
