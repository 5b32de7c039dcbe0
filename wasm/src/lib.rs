//! Hooke's kernels over linear memory, with 128-bit SIMD.
//!
//! JavaScript allocates buffers, writes frames and programs, and calls `run`: many steps in one call.

mod add_model;
mod args;
mod barostats;
mod blocks;
mod bonded;
mod cells;
mod check_finite;
mod clear;
mod constants;
mod constrain;
mod converge;
mod edges;
mod frame;
mod integrate;
mod kernels;
mod lanes;
mod learn;
mod measure;
mod memory;
mod mix;
mod modify;
mod numbers;
mod pairs;
mod philox;
mod program;
mod relax;
mod remember;
mod thermostats;
mod xyz;
