//! Pairs of atoms: how they are found, and potentials of them.

pub mod clusters;
pub mod domains;
pub mod exclusions;
pub mod gather;
pub mod generated;
pub mod lattice;
pub mod lennard_jones;
pub mod list;
pub mod morse;
pub mod neighbors;
pub mod search;
pub mod sum;
pub mod system;
pub mod team;
pub mod vectors;
