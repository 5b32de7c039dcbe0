//! What every kernel knows of the batch: systems one after another, atoms in their order.

use core::ops::Range;

use crate::args::Args;

/// Words of `control`; src/kernels/kernel.ts has the same.
pub const HALT: usize = 0;
pub const DIVERGED: usize = 1;
pub const CAUSE: usize = 2;

/// See `Frame` in src/kernels/kernel.ts.
pub struct Frame {
    pub systems: usize,
    /// The systems that kernels work on: all, or a block of them.
    pub block: Range<usize>,
    pub offsets: &'static [i32],
    pub active: &'static mut [i32],
    pub ids: &'static [i32],
    pub ages: &'static mut [i32],
    pub control: &'static mut [i32],
}

impl Frame {
    /// Reads the five buffers that JavaScript wrote down as arguments.
    pub fn new(args: Args) -> Self {
        let offsets = args.read::<i32>(0);
        Self {
            systems: offsets.len() - 1,
            block: 0..offsets.len() - 1,
            offsets,
            active: args.change(1),
            ids: args.read(2),
            ages: args.change(3),
            control: args.change(4),
        }
    }

    /// The atoms of a system.
    pub fn atoms(&self, system: usize) -> Range<usize> {
        self.offsets[system] as usize..self.offsets[system + 1] as usize
    }

    /// The systems of the block that are to be updated, with their atoms.
    pub fn awake(&self) -> impl Iterator<Item = (usize, Range<usize>)> + use<'_> {
        self.block.clone().filter(|&s| self.is_active(s)).map(|s| (s, self.atoms(s)))
    }

    /// All systems of the block, with their atoms.
    pub fn all(&self) -> impl Iterator<Item = (usize, Range<usize>)> + use<'_> {
        self.block.clone().map(|s| (s, self.atoms(s)))
    }

    pub fn is_active(&self, system: usize) -> bool {
        self.active[system] != 0
    }

    /// See `reportDiverged` in src/kernels/kernel.ts.
    pub fn report_diverged(&mut self, system: usize, cause: i32) {
        let (found, known) = (system as i32 + 1, self.control[DIVERGED]);
        if known == 0 || found < known {
            self.control[DIVERGED] = found;
            self.control[CAUSE] = cause;
        }
        self.control[HALT] = 1;
    }
}
