//! Relaxers.

pub mod fire;
pub mod lbfgs;
