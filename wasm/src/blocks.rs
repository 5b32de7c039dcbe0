//! Runs of many steps block by block: each block of systems does all steps while it is in the cache.
//!
//! Systems do not depend on each other, so the bits are those of a run of all systems at once. Such a run halts in
//! one step for all, though. A block that has gone further by then goes back to where it began, and runs again.

use core::ops::Range;
use core::ptr::copy_nonoverlapping;

use wasm_bindgen::prelude::*;

use crate::args::{Args, Slot};
use crate::frame::{Frame, CAUSE, DIVERGED, HALT};
use crate::pairs::list::PairList;
use crate::program::{open, Program};

/// A buffer that a program changes, and room of the same size; src/backend/wasm/wasm_blocks.ts writes them.
#[repr(C)]
pub struct Saved {
    buffer: u32,
    copy: u32,
    /// Bytes per row.
    width: u32,
    /// 1 for a row per atom, 0 for one per system.
    is_node: u32,
}

impl Saved {
    /// The offset of the rows of some systems, and their length in bytes.
    fn range(&self, frame: &Frame, systems: &Range<usize>) -> (usize, usize) {
        let row = |s: usize| if self.is_node != 0 { frame.offsets[s] as usize } else { s };
        let (from, to) = (row(systems.start), row(systems.end));
        (from * self.width as usize, (to - from) * self.width as usize)
    }
}

/// Result of a block.
struct Block {
    systems: Range<usize>,
    done: u32,
    is_halted: bool,
    diverged: i32,
    cause: i32,
}

/// A call of many steps.
struct Call<'a> {
    frame: Frame,
    program: Program,
    first: u32,
    saved: &'a [Saved],
    lists: Vec<&'a mut PairList>,
}

/// Does what `run` does, block by block of at most `atoms` atoms or one system.
#[wasm_bindgen]
#[allow(clippy::too_many_arguments)]
pub fn run_blocks(
    frame: *const Slot,
    program: *const Slot,
    calls: u32,
    first: u32,
    steps: u32,
    saved: *const Saved,
    count: usize,
    atoms: usize,
) -> u32 {
    let Some(frame) = open(frame) else { return 0 };
    let program = Program { code: program, calls };
    // JavaScript has written as many.
    let saved = unsafe { core::slice::from_raw_parts(saved, count) };
    let lists = program.arguments_of("neighbors").iter().map(|args: &Args| args.object(0)).collect();
    Call { frame, program, first, saved, lists }.run(steps, atoms)
}

impl Call<'_> {
    fn run(&mut self, steps: u32, atoms: usize) -> u32 {
        for list in &mut self.lists {
            list.begin_call();
        }
        let mut least = steps;
        let mut blocks = Vec::new();
        let mut from = 0;
        while from < self.frame.systems {
            let to = end_of_block(&self.frame, from, atoms);
            self.save(&(from..to));
            let block = self.run_block(from..to, least);
            least = block.done;
            blocks.push(block);
            from = to;
        }
        for block in blocks.iter_mut().filter(|block| block.done > least) {
            self.go_back(&block.systems);
            *block = self.run_block(block.systems.clone(), least);
        }
        self.report(&blocks);
        for list in &mut self.lists {
            list.end_call();
        }
        least
    }

    /// Runs a block for up to `steps` steps.
    fn run_block(&mut self, systems: Range<usize>, steps: u32) -> Block {
        let Self { frame, program, first, .. } = self;
        frame.control[..=CAUSE].fill(0);
        frame.block = systems.clone();
        let done = program.run(frame, *first, steps);
        let control = &frame.control;
        Block { systems, done, is_halted: control[HALT] != 0, diverged: control[DIVERGED], cause: control[CAUSE] }
    }

    /// Writes the control words of a run of all systems: the first one that has diverged.
    fn report(&mut self, blocks: &[Block]) {
        let control = &mut self.frame.control;
        control[HALT] = blocks.iter().any(|block| block.is_halted) as i32;
        let first = blocks.iter().find(|block| block.diverged != 0);
        (control[DIVERGED], control[CAUSE]) = first.map_or((0, 0), |block| (block.diverged, block.cause));
    }

    fn save(&self, systems: &Range<usize>) {
        for saved in self.saved {
            let (at, bytes) = saved.range(&self.frame, systems);
            // Both have a row for each system or atom.
            unsafe { copy_nonoverlapping((saved.buffer as usize + at) as *const u8, (saved.copy as usize + at) as *mut u8, bytes) };
        }
    }

    fn go_back(&mut self, systems: &Range<usize>) {
        for saved in self.saved {
            let (at, bytes) = saved.range(&self.frame, systems);
            // As above.
            unsafe { copy_nonoverlapping((saved.copy as usize + at) as *const u8, (saved.buffer as usize + at) as *mut u8, bytes) };
        }
        for list in &mut self.lists {
            list.go_back(systems.clone());
        }
    }
}

/// The end of the block that begins with a system: it has at most `atoms` atoms, or that system alone.
fn end_of_block(frame: &Frame, from: usize, atoms: usize) -> usize {
    let most = frame.offsets[from] as usize + atoms;
    let mut to = from + 1;
    while to < frame.systems && frame.offsets[to + 1] as usize <= most {
        to += 1;
    }
    to
}
