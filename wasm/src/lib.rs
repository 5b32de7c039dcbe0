//! Hooke's kernels over linear memory, with 128-bit SIMD.
//!
//! JavaScript allocates buffers, writes frames and programs, and calls `run`: many steps in one call.

mod args;
mod barostat;
mod bonded;
mod cells;
mod chain;
mod clusters;
mod constants;
mod constrain;
mod converge;
mod edge_list;
mod edges;
mod fire;
mod frame;
mod gradients;
mod integrate;
mod kernels;
mod lanes;
mod lbfgs;
mod lennard_jones;
mod measure;
mod memory;
mod model;
mod modify;
mod morse;
mod neighbors;
mod numbers;
mod optimizers;
mod pair_gather;
mod pair_lattice;
mod pair_list;
mod pair_search;
mod pair_sum;
mod pair_vectors;
mod philox;
mod program;
mod strain;
mod thermostat;
mod xyz;
