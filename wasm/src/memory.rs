//! Buffers for JavaScript.

use std::alloc::{alloc_zeroed, dealloc, Layout};

use wasm_bindgen::prelude::*;

/// Enough for SIMD, and so that no two buffers share a cache line.
const ALIGNMENT: usize = 64;

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes.max(1), ALIGNMENT).expect("a buffer's size fits the address space")
}

/// Zeroed memory; 0 when there is not enough.
#[wasm_bindgen]
pub fn allocate(bytes: usize) -> usize {
    unsafe { alloc_zeroed(layout(bytes)) as usize }
}

/// Gives memory back.
#[wasm_bindgen]
pub fn release(pointer: usize, bytes: usize) {
    unsafe { dealloc(pointer as *mut u8, layout(bytes)) }
}
