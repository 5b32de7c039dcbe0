//! Constants of nature: see src/kernels/constants.ts.

/// Boltzmann's constant, eV/K.
pub const BOLTZMANN: f64 = 1.380649e-23 / 1.602176634e-19;

/// The acceleration of 1 amu by 1 eV/Å, in Å/fs²: eV/amu in m²/s², 1e-10 of it.
pub const ACCELERATION: f64 = 1.602176634e-19 / 1.6605390666e-27 * 1e-10;
