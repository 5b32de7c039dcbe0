/**
 * Units of models. The constants are those of CODATA 2018.
 *
 * @module
 */

/** A unit of energy. */
export type EnergyUnit = "eV" | "meV" | "Hartree" | "Rydberg" | "kcal/mol" | "kJ/mol";

/** A unit of length. */
export type LengthUnit = "Å" | "Bohr" | "nm" | "pm";

/** 1 kJ/mol in eV: 1000 / (Nₐ e). */
const KJ_PER_MOL = 1000 / (6.02214076e23 * 1.602176634e-19);

/** Values of the units of energy in eV. */
export const ENERGY_UNITS: Readonly<Record<EnergyUnit, number>> = {
  "eV": 1,
  "meV": 1e-3,
  "Hartree": 27.211386245988,
  "Rydberg": 13.605693122994,
  "kcal/mol": 4.184 * KJ_PER_MOL,
  "kJ/mol": KJ_PER_MOL,
};

/** Values of the units of length in Å. */
export const LENGTH_UNITS: Readonly<Record<LengthUnit, number>> = {
  "Å": 1,
  "Bohr": 0.529177210903,
  "nm": 10,
  "pm": 0.01,
};

/** Factors that convert a model's units to eV and Å. */
export interface OnnxUnits {
  /** Value of the model's unit of energy in eV. */
  readonly energy: number;
  /** Value of the model's unit of length in Å. */
  readonly length: number;
}

/** Returns the values of units, which must be names of units or positive numbers. */
export function unitsOf({ energyUnit = 1, lengthUnit = 1 }: {
  readonly energyUnit?: EnergyUnit | number;
  readonly lengthUnit?: LengthUnit | number;
}): OnnxUnits {
  return {
    energy: typeof energyUnit === "number" ? energyUnit : ENERGY_UNITS[energyUnit],
    length: typeof lengthUnit === "number" ? lengthUnit : LENGTH_UNITS[lengthUnit],
  };
}
