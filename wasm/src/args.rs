//! The arguments of one call: 8 bytes each, a pointer and a length, or a number.

use core::slice;

/// One argument as JavaScript wrote it: low word pointer, high word length; or the bits of an f64.
pub type Slot = u64;

/// The arguments of a call. Which is what, the kernel knows; src/kernels says it in words.
#[derive(Clone, Copy)]
pub struct Args {
    slots: *const Slot,
}

// Buffers of one call never overlap unless they are the same, and no kernel takes the same buffer twice: JavaScript
// sees to both. Everything else here follows from that.
impl Args {
    pub fn new(slots: *const Slot) -> Self {
        Self { slots }
    }

    fn slot(&self, i: usize) -> Slot {
        unsafe { *self.slots.add(i) }
    }

    fn pointer<T>(&self, i: usize) -> (*mut T, usize) {
        let slot = self.slot(i);
        (slot as u32 as usize as *mut T, (slot >> 32) as usize)
    }

    /// A number.
    pub fn number(&self, i: usize) -> f64 {
        f64::from_bits(self.slot(i))
    }

    /// A buffer to read.
    pub fn read<T>(&self, i: usize) -> &'static [T] {
        let (pointer, length) = self.pointer::<T>(i);
        if length == 0 {
            return &[];
        }
        unsafe { slice::from_raw_parts(pointer, length) }
    }

    /// A buffer to change.
    pub fn change<T>(&self, i: usize) -> &'static mut [T] {
        let (pointer, length) = self.pointer::<T>(i);
        if length == 0 {
            return &mut [];
        }
        unsafe { slice::from_raw_parts_mut(pointer, length) }
    }

    /// A buffer that may not be there.
    pub fn optional<T>(&self, i: usize) -> Option<&'static mut [T]> {
        let (pointer, _) = self.pointer::<T>(i);
        if pointer.is_null() { None } else { Some(self.change(i)) }
    }

    /// Something that Rust made and JavaScript keeps.
    pub fn object<T>(&self, i: usize) -> &'static mut T {
        let (pointer, _) = self.pointer::<T>(i);
        unsafe { &mut *pointer }
    }
}
