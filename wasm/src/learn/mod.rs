//! Gradients and optimizers.

pub mod gradients;
pub mod optimizers;
