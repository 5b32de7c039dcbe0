//! Four numbers at a time: 128-bit SIMD on WebAssembly, arrays where the crate is only checked and tested.
//!
//! All operations are elementwise and round as IEEE 754 says, so it makes no difference to a number's bits in which
//! lane it is.

use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Sub};

#[cfg(target_arch = "wasm32")]
#[path = "lanes/simd.rs"]
mod wide;
#[cfg(not(target_arch = "wasm32"))]
#[path = "lanes/plain.rs"]
mod wide;

pub use wide::{D2, F4, U4};

macro_rules! operators {
    ($type:ty: $($trait:ident $method:ident),*) => {$(
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.$method(other)
            }
        }
    )*};
}

operators!(F4: Add add, Sub sub, Mul mul, Div div);
operators!(D2: Add add, Mul mul, Div div);
operators!(U4: Add add, BitAnd bitand, BitOr bitor, BitXor bitxor);

impl Neg for F4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.minus()
    }
}
