//! Programs: calls in order, run for many steps without a visit to JavaScript.

use wasm_bindgen::prelude::*;

use crate::args::{Args, Slot};
use crate::frame::{Frame, DIVERGED, HALT};
use crate::integrate;
use crate::kernels::KERNELS;

/// Before the slots of a call: which kernel, when, how many arguments.
#[repr(C)]
struct Header {
    kernel: u32,
    every: u32,
    phase: u32,
    arguments: u32,
}

/// The number by which programs name a kernel; -1 when there is none of that name.
#[wasm_bindgen]
pub fn kernel_number(name: &str) -> i32 {
    KERNELS.iter().position(|(known, _)| *known == name).map_or(-1, |i| i as i32)
}

/// A call within a program.
#[derive(Clone, Copy)]
struct Call {
    header: &'static Header,
    slots: *const Slot,
}

impl Call {
    fn at(place: *const Slot) -> Self {
        let header = unsafe { &*(place as *const Header) };
        Self { header, slots: unsafe { place.add(size_of::<Header>() / size_of::<Slot>()) } }
    }

    fn next(self) -> *const Slot {
        unsafe { self.slots.add(self.header.arguments as usize) }
    }

    fn name(self) -> &'static str {
        KERNELS[self.header.kernel as usize].0
    }

    fn is_always(self) -> bool {
        self.header.every == 1
    }

    fn slot(self, i: usize) -> Slot {
        unsafe { *self.slots.add(i) }
    }

    fn run(self, step: u32, frame: &mut Frame) {
        if self.is_always() || step % self.header.every == self.header.phase {
            KERNELS[self.header.kernel as usize].1(Args::new(self.slots), frame);
        }
    }
}

/// The place of the kick that ends a step, where the next one begins with a kick of the same: both can be done in
/// one pass. Nothing but growing older may come between.
fn joint(program: *const Slot, calls: u32) -> Option<u32> {
    let first = (calls > 1).then(|| Call::at(program))?;
    let (mut at, mut last) = (first.next(), None);
    for i in 1..calls {
        let call = Call::at(at);
        let is_same = (0..4).all(|k| call.slot(k) == first.slot(k + 1));
        if call.name() == "kick" && call.is_always() && is_same {
            last = Some(i);
        } else if call.name() != "advance" {
            last = None;
        }
        at = call.next();
    }
    if first.name() == "kick_drift" && first.is_always() { last } else { None }
}

/// Calls in order, from `first` on.
#[derive(Clone, Copy)]
pub struct Program {
    pub code: *const Slot,
    pub calls: u32,
}

impl Program {
    /// Runs up to `steps` steps of the block of a frame, from step `first` on; returns how many it did.
    pub fn run(self, frame: &mut Frame, first: u32, steps: u32) -> u32 {
        let joint = if steps > 1 { joint(self.code, self.calls) } else { None };
        let mut is_owed = false;
        for step in first..first + steps {
            let mut at = self.code;
            for i in 0..self.calls {
                let call = Call::at(at);
                at = call.next();
                let is_last = step + 1 == first + steps || frame.control[HALT] != 0;
                if joint == Some(i) && !is_last {
                    is_owed = true;
                } else if i == 0 && is_owed {
                    integrate::kick_kick_drift(Args::new(call.slots), frame);
                    is_owed = false;
                } else {
                    call.run(step, frame);
                }
            }
            if frame.control[HALT] != 0 {
                return step - first + 1;
            }
        }
        steps
    }

    /// The arguments of each call of a kernel.
    pub fn arguments_of(self, kernel: &str) -> Vec<Args> {
        let mut found = Vec::new();
        let mut at = self.code;
        for _ in 0..self.calls {
            let call = Call::at(at);
            at = call.next();
            if call.name() == kernel {
                found.push(Args::new(call.slots));
            }
        }
        found
    }
}

/// Opens a frame for a run; none while it is not known what becomes of a system that has diverged.
pub fn open(frame: *const Slot) -> Option<Frame> {
    let frame = Frame::new(Args::new(frame));
    frame.control[HALT] = 0;
    (frame.control[DIVERGED] == 0).then_some(frame)
}

/// Runs `calls` calls for up to `steps` steps from `first` on; returns how many steps it did.
#[wasm_bindgen]
pub fn run(frame: *const Slot, program: *const Slot, calls: u32, first: u32, steps: u32) -> u32 {
    let Some(mut frame) = open(frame) else { return 0 };
    Program { code: program, calls }.run(&mut frame, first, steps)
}
