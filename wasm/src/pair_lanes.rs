//! Four floats at once: 128-bit SIMD of WebAssembly, and the same in plain Rust for tests on the host.

pub use lanes::F4;

#[cfg(target_arch = "wasm32")]
mod lanes {
    use core::arch::wasm32::*;
    use core::ops::{Add, Div, Mul, Sub};

    #[derive(Clone, Copy)]
    #[repr(transparent)]
    pub struct F4(v128);

    macro_rules! operator {
        ($trait:ident, $method:ident, $instruction:ident) => {
            impl $trait for F4 {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    Self($instruction(self.0, other.0))
                }
            }
        };
    }

    operator!(Add, add, f32x4_add);
    operator!(Sub, sub, f32x4_sub);
    operator!(Mul, mul, f32x4_mul);
    operator!(Div, div, f32x4_div);

    impl F4 {
        #[inline(always)]
        pub const fn new(a: f32, b: f32, c: f32, d: f32) -> Self {
            Self(f32x4(a, b, c, d))
        }

        #[inline(always)]
        pub fn splat(a: f32) -> Self {
            Self(f32x4_splat(a))
        }

        /// Four floats from anywhere.
        #[inline(always)]
        pub unsafe fn load(from: *const f32) -> Self {
            Self(v128_load(from as *const v128))
        }

        /// One float, four times.
        #[inline(always)]
        pub unsafe fn load_splat(from: *const f32) -> Self {
            Self(v128_load32_splat(from as *const u32))
        }

        /// Three floats and a zero.
        #[inline(always)]
        pub unsafe fn load3(from: *const f32) -> Self {
            let low = v128_load64_zero(from as *const u64);
            Self(v128_load32_lane::<2>(low, from.add(2) as *const u32))
        }

        #[inline(always)]
        pub unsafe fn store(self, to: *mut f32) {
            v128_store(to as *mut v128, self.0)
        }

        /// The first three floats.
        #[inline(always)]
        pub unsafe fn store3(self, to: *mut f32) {
            v128_store64_lane::<0>(self.0, to as *mut u64);
            v128_store32_lane::<2>(self.0, to.add(2) as *mut u32);
        }

        /// All bits set where less.
        #[inline(always)]
        pub fn lt(self, other: Self) -> Self {
            Self(f32x4_lt(self.0, other.0))
        }

        #[inline(always)]
        pub fn le(self, other: Self) -> Self {
            Self(f32x4_le(self.0, other.0))
        }

        #[inline(always)]
        pub fn and(self, other: Self) -> Self {
            Self(v128_and(self.0, other.0))
        }

        /// Whether any bit is set.
        #[inline(always)]
        pub fn any(self) -> bool {
            v128_any_true(self.0)
        }

        /// Whether all four are masks with their bits set.
        #[inline(always)]
        pub fn all(self) -> bool {
            u32x4_all_true(self.0)
        }

        /// The smaller one; the second where they cannot be compared.
        #[inline(always)]
        pub fn min(self, other: Self) -> Self {
            Self(f32x4_pmin(other.0, self.0))
        }

        /// The greater one; the second where they cannot be compared.
        #[inline(always)]
        pub fn max(self, other: Self) -> Self {
            Self(f32x4_pmax(other.0, self.0))
        }

        #[inline(always)]
        pub fn sqrt(self) -> Self {
            Self(f32x4_sqrt(self.0))
        }

        /// Rounds to whole numbers.
        #[inline(always)]
        pub fn nearest(self) -> Self {
            Self(f32x4_nearest(self.0))
        }

        /// 2 to the power of whole numbers from -126 to 127.
        #[inline(always)]
        pub fn exp2_whole(self) -> Self {
            let biased = i32x4_add(i32x4_trunc_sat_f32x4(self.0), i32x4_splat(127));
            Self(i32x4_shl(biased, 23))
        }

        #[inline(always)]
        pub fn to_array(self) -> [f32; 4] {
            unsafe { core::mem::transmute(self.0) }
        }

        /// x² + y² + z² of four vectors x y z, one after another in twelve lanes.
        #[inline(always)]
        pub fn squares_of_triples([a, b, c]: [Self; 3]) -> Self {
            let [a, b, c] = [a * a, b * b, c * c];
            let xs = Self(i32x4_shuffle::<0, 1, 2, 5>(i32x4_shuffle::<0, 3, 6, 6>(a.0, b.0), c.0));
            let ys = Self(i32x4_shuffle::<0, 1, 2, 6>(i32x4_shuffle::<1, 4, 7, 7>(a.0, b.0), c.0));
            let zs = Self(i32x4_shuffle::<0, 1, 4, 7>(i32x4_shuffle::<2, 5, 5, 5>(a.0, b.0), c.0));
            xs + ys + zs
        }

        /// Rows become columns.
        #[inline(always)]
        pub fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
            let low = i32x4_shuffle::<0, 4, 1, 5>(a.0, b.0);
            let low2 = i32x4_shuffle::<0, 4, 1, 5>(c.0, d.0);
            let high = i32x4_shuffle::<2, 6, 3, 7>(a.0, b.0);
            let high2 = i32x4_shuffle::<2, 6, 3, 7>(c.0, d.0);
            [
                Self(i64x2_shuffle::<0, 2>(low, low2)),
                Self(i64x2_shuffle::<1, 3>(low, low2)),
                Self(i64x2_shuffle::<0, 2>(high, high2)),
                Self(i64x2_shuffle::<1, 3>(high, high2)),
            ]
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod lanes {
    use core::ops::{Add, Div, Mul, Sub};

    #[derive(Clone, Copy)]
    #[repr(C, align(16))]
    pub struct F4([f32; 4]);

    macro_rules! operator {
        ($trait:ident, $method:ident, $operator:tt) => {
            impl $trait for F4 {
                type Output = Self;
                fn $method(self, other: Self) -> Self {
                    self.zip(other, |a, b| a $operator b)
                }
            }
        };
    }

    operator!(Add, add, +);
    operator!(Sub, sub, -);
    operator!(Mul, mul, *);
    operator!(Div, div, /);

    fn mask(is_set: bool) -> f32 {
        f32::from_bits(if is_set { u32::MAX } else { 0 })
    }

    impl F4 {
        pub const fn new(a: f32, b: f32, c: f32, d: f32) -> Self {
            Self([a, b, c, d])
        }

        fn map(self, f: impl Fn(f32) -> f32) -> Self {
            Self(self.0.map(f))
        }

        fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
            Self(core::array::from_fn(|i| f(self.0[i], other.0[i])))
        }

        pub fn splat(a: f32) -> Self {
            Self([a; 4])
        }

        pub unsafe fn load(from: *const f32) -> Self {
            Self(core::array::from_fn(|i| *from.add(i)))
        }

        pub unsafe fn load_splat(from: *const f32) -> Self {
            Self::splat(*from)
        }

        pub unsafe fn load3(from: *const f32) -> Self {
            Self([*from, *from.add(1), *from.add(2), 0.0])
        }

        pub unsafe fn store(self, to: *mut f32) {
            (0..4).for_each(|i| *to.add(i) = self.0[i]);
        }

        pub unsafe fn store3(self, to: *mut f32) {
            (0..3).for_each(|i| *to.add(i) = self.0[i]);
        }

        pub fn lt(self, other: Self) -> Self {
            self.zip(other, |a, b| mask(a < b))
        }

        pub fn le(self, other: Self) -> Self {
            self.zip(other, |a, b| mask(a <= b))
        }

        pub fn and(self, other: Self) -> Self {
            self.zip(other, |a, b| f32::from_bits(a.to_bits() & b.to_bits()))
        }

        pub fn any(self) -> bool {
            self.0.iter().any(|a| a.to_bits() != 0)
        }

        pub fn all(self) -> bool {
            self.0.iter().all(|a| a.to_bits() != 0)
        }

        pub fn min(self, other: Self) -> Self {
            self.zip(other, |a, b| if a < b { a } else { b })
        }

        pub fn max(self, other: Self) -> Self {
            self.zip(other, |a, b| if a > b { a } else { b })
        }

        pub fn sqrt(self) -> Self {
            self.map(f32::sqrt)
        }

        pub fn nearest(self) -> Self {
            self.map(f32::round_ties_even)
        }

        pub fn exp2_whole(self) -> Self {
            self.map(f32::exp2)
        }

        pub fn to_array(self) -> [f32; 4] {
            self.0
        }

        pub fn squares_of_triples(d: [Self; 3]) -> Self {
            let at = |i: usize| d[i / 4].0[i % 4] * d[i / 4].0[i % 4];
            Self(core::array::from_fn(|i| at(3 * i) + at(3 * i + 1) + at(3 * i + 2)))
        }

        pub fn transpose(rows: [Self; 4]) -> [Self; 4] {
            core::array::from_fn(|i| Self(core::array::from_fn(|j| rows[j].0[i])))
        }
    }
}

/// Three vectors, one for each direction.
pub type V3 = [F4; 3];

pub const ZERO: V3 = [F4::new(0.0, 0.0, 0.0, 0.0); 3];

/// The sums over each of four vectors, in the order of the vectors.
#[inline(always)]
pub fn sums(vectors: [F4; 4]) -> F4 {
    let [a, b, c, d] = F4::transpose(vectors);
    (a + b) + (c + d)
}

/// Squares of three differences, added.
#[inline(always)]
pub fn square(a: &V3, b: &V3) -> F4 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}
