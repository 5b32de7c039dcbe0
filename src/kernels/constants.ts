/**
 * Constants of nature in the units of the package: Å, eV, amu, K, fs. CODATA 2018.
 *
 * @module
 */

/** Boltzmann's constant, eV/K: 1.380649e-23 J/K over 1.602176634e-19 J/eV, both exact. */
export const BOLTZMANN: number = 1.380649e-23 / 1.602176634e-19;

/** The time in which 1 eV/Å moves 1 amu by about 1 Å: Å·√(amu/eV), in fs. The `dt` of optimizers is in this unit. */
export const TIME_UNIT_FS: number = 1e5 * Math.sqrt(1.6605390666e-27 / 1.602176634e-19);

/** The acceleration of 1 amu by 1 eV/Å, in Å/fs². */
export const ACCELERATION: number = 1 / (TIME_UNIT_FS * TIME_UNIT_FS);

/** 1 GPa, eV/Å³: 1e9 J/m³ over the eV, times 1e-30 m³. */
export const GIGAPASCAL: number = 1e-21 / 1.602176634e-19;

/** 1 bar, eV/Å³. */
export const BAR: number = 1e-4 * GIGAPASCAL;
