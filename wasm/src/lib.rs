//! Hooke's kernels over linear memory, with 128-bit SIMD.
//!
//! JavaScript allocates buffers, writes frames and programs, and calls `run`: many steps in one call.

mod args;
mod constants;
mod converge;
mod fire;
mod frame;
mod integrate;
mod kernels;
mod lanes;
mod measure;
mod memory;
mod philox;
mod program;
mod thermostat;
mod xyz;
