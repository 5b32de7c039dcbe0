//! Vectors of four atoms at a time: x y z x y z … in memory, xxxx yyyy zzzz in lanes.

use crate::lanes::{D2, F4};

/// The vectors of four atoms.
#[derive(Clone, Copy)]
pub struct Xyz {
    pub x: F4,
    pub y: F4,
    pub z: F4,
}

impl Xyz {
    /// # Safety
    /// There are twelve numbers.
    #[inline(always)]
    pub unsafe fn load(at: *const f32) -> Self {
        let (a, b, c) = unsafe { (F4::load(at), F4::load(at.add(4)), F4::load(at.add(8))) };
        Self {
            x: a.shuffle::<0, 3, 6, 6>(b).shuffle::<0, 1, 2, 5>(c),
            y: a.shuffle::<1, 4, 7, 7>(b).shuffle::<0, 1, 2, 6>(c),
            z: a.shuffle::<2, 5, 5, 5>(b).shuffle::<0, 1, 4, 7>(c),
        }
    }

    /// # Safety
    /// There is room for twelve numbers.
    #[inline(always)]
    pub unsafe fn store(self, at: *mut f32) {
        let Self { x, y, z } = self;
        unsafe {
            x.shuffle::<0, 4, 1, 1>(y).shuffle::<0, 1, 4, 2>(z).store(at);
            y.shuffle::<1, 5, 2, 2>(z).shuffle::<0, 1, 6, 2>(x).store(at.add(4));
            z.shuffle::<2, 7, 3, 3>(x).shuffle::<0, 1, 7, 2>(y).store(at.add(8));
        }
    }

    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    #[inline(always)]
    pub fn times(self, by: F4) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }

    /// x² + y² + z².
    #[inline(always)]
    pub fn square(self) -> F4 {
        self.x * self.x + self.y * self.y + self.z * self.z
    }

    /// The same in f64: of the first two atoms, and of the last two.
    #[inline(always)]
    pub fn square_f64(self) -> (D2, D2) {
        let Self { x, y, z } = self;
        let (a, b, c) = (x.low(), y.low(), z.low());
        let (d, e, f) = (x.high(), y.high(), z.high());
        (a * a + b * b + c * c, d * d + e * e + f * f)
    }
}

/// Four atoms' worth of an array of `N` numbers per four atoms, where fewer are left: what lies beyond is `fill`.
#[inline(always)]
pub fn padded<const N: usize>(rest: &[f32], fill: f32) -> [f32; N] {
    let mut all = [fill; N];
    all[..rest.len()].copy_from_slice(rest);
    all
}
