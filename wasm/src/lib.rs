//! Hooke's kernels over linear memory, with 128-bit SIMD.
//!
//! JavaScript allocates buffers, writes frames and programs, and calls `run`: many steps in one call.

mod args;
mod frame;
mod integrate;
mod kernels;
mod memory;
mod program;
