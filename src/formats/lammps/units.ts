/**
 * Units of LAMMPS files.
 *
 * @module
 */

/** Factors from the units of a file to Å, Å/fs and eV. */
export interface UnitFactors {
  readonly velocity: number;
  readonly force: number;
  readonly energy: number;
}

/** 1 kcal/mol in eV: 4184 J over Avogadro's number and the eV. */
export const KCAL_PER_MOL: number = 4184 / 6.02214076e23 / 1.602176634e-19;

/** Factors by the name of the unit style. Lengths are in Å in both. */
export const UNITS: Readonly<Record<"metal" | "real", UnitFactors>> = {
  metal: { velocity: 1e-3, force: 1, energy: 1 },
  real: { velocity: 1, force: KCAL_PER_MOL, energy: KCAL_PER_MOL },
};
