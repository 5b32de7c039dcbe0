/**
 * Physical constants in the units of the package: Å, eV, amu, K, fs. Values of CODATA 2018.
 *
 * @module
 */

/** Boltzmann constant, eV/K: 1.380649e-23 J/K over 1.602176634e-19 J/eV, both exact. */
export const BOLTZMANN: number = 1.380649e-23 / 1.602176634e-19;

/**
 * The time unit Å·√(amu/eV), in fs. A force of 1 eV/Å moves an atom of 1 amu from rest by ½ Å in this time. The `dt`
 * of optimizers is in this unit.
 */
export const TIME_UNIT_FS: number = 1e5 * Math.sqrt(1.6605390666e-27 / 1.602176634e-19);

/** Acceleration of 1 amu by a force of 1 eV/Å, in Å/fs². */
export const ACCELERATION: number = 1 / (TIME_UNIT_FS * TIME_UNIT_FS);

/** 1 GPa in eV/Å³: 1e9 J/m³ over the eV, times 1e-30 m³. */
export const GIGAPASCAL: number = 1e-21 / 1.602176634e-19;

/** 1 bar in eV/Å³. */
export const BAR: number = 1e-4 * GIGAPASCAL;
