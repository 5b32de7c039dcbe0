//! Programs: calls in order, run for many steps without a visit to JavaScript.

use wasm_bindgen::prelude::*;

use crate::args::{Args, Slot};
use crate::frame::{Frame, HALT};
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

/// Runs `calls` calls for up to `steps` steps from `first` on; returns how many steps it did.
#[wasm_bindgen]
pub fn run(frame: *const Slot, program: *const Slot, calls: u32, first: u32, steps: u32) -> u32 {
    let mut frame = Frame::new(Args::new(frame));
    frame.control[HALT] = 0;
    for step in first..first + steps {
        let mut at = program;
        for _ in 0..calls {
            let header = unsafe { &*(at as *const Header) };
            let slots = unsafe { at.add(size_of::<Header>() / size_of::<Slot>()) };
            if header.every == 1 || step % header.every == header.phase {
                KERNELS[header.kernel as usize].1(Args::new(slots), &mut frame);
            }
            at = unsafe { slots.add(header.arguments as usize) };
        }
        if frame.control[HALT] != 0 {
            return step - first + 1;
        }
    }
    steps
}
