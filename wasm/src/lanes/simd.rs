//! On WebAssembly.

use core::arch::wasm32::*;

/// Four f32.
#[derive(Clone, Copy)]
pub struct F4(v128);

/// Two f64.
#[derive(Clone, Copy)]
pub struct D2(v128);

/// Four u32; also masks, of all ones where true.
#[derive(Clone, Copy)]
pub struct U4(v128);

// Inherent methods win over those of the operator traits of the same name: lanes.rs forwards to them.
#[allow(clippy::should_implement_trait)]
impl F4 {
    /// Four numbers from anywhere.
    ///
    /// # Safety
    /// They are all there.
    #[inline(always)]
    pub unsafe fn load(at: *const f32) -> Self {
        unsafe { Self(v128_load(at.cast())) }
    }

    /// # Safety
    /// There is room for all.
    #[inline(always)]
    pub unsafe fn store(self, at: *mut f32) {
        unsafe { v128_store(at.cast(), self.0) }
    }

    pub const fn new(a: f32, b: f32, c: f32, d: f32) -> Self {
        Self(f32x4(a, b, c, d))
    }

    /// One number from memory, in all lanes.
    ///
    /// # Safety
    /// It is there.
    #[inline(always)]
    pub unsafe fn load_splat(at: *const f32) -> Self {
        unsafe { Self(v128_load32_splat(at.cast())) }
    }

    /// Three numbers and a zero.
    ///
    /// # Safety
    /// They are all there.
    #[inline(always)]
    pub unsafe fn load3(at: *const f32) -> Self {
        unsafe { Self(v128_load32_lane::<2>(v128_load64_zero(at.cast()), at.add(2).cast())) }
    }

    /// The first three.
    ///
    /// # Safety
    /// There is room for them.
    #[inline(always)]
    pub unsafe fn store3(self, at: *mut f32) {
        unsafe {
            v128_store64_lane::<0>(self.0, at.cast());
            v128_store32_lane::<2>(self.0, at.add(2).cast());
        }
    }

    #[inline(always)]
    pub fn splat(x: f32) -> Self {
        Self(f32x4_splat(x))
    }

    #[inline(always)]
    pub fn add(self, other: Self) -> Self {
        Self(f32x4_add(self.0, other.0))
    }

    #[inline(always)]
    pub fn sub(self, other: Self) -> Self {
        Self(f32x4_sub(self.0, other.0))
    }

    #[inline(always)]
    pub fn mul(self, other: Self) -> Self {
        Self(f32x4_mul(self.0, other.0))
    }

    #[inline(always)]
    pub fn div(self, other: Self) -> Self {
        Self(f32x4_div(self.0, other.0))
    }

    #[inline(always)]
    pub fn minus(self) -> Self {
        Self(f32x4_neg(self.0))
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self(f32x4_sqrt(self.0))
    }

    /// The larger; NaN if either is.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self(f32x4_max(self.0, other.0))
    }

    /// The smaller; other if either is NaN.
    #[inline(always)]
    pub fn lesser(self, other: Self) -> Self {
        Self(f32x4_pmin(other.0, self.0))
    }

    /// The larger; other if either is NaN.
    #[inline(always)]
    pub fn greater(self, other: Self) -> Self {
        Self(f32x4_pmax(other.0, self.0))
    }

    /// Where self < other; never where either is NaN.
    #[inline(always)]
    pub fn below(self, other: Self) -> U4 {
        U4(f32x4_lt(self.0, other.0))
    }

    /// Where self ≤ other; never where either is NaN.
    #[inline(always)]
    pub fn at_most(self, other: Self) -> U4 {
        U4(f32x4_le(self.0, other.0))
    }

    /// Itself where the mask is set, zero elsewhere.
    #[inline(always)]
    pub fn only(self, mask: U4) -> Self {
        Self(v128_and(self.0, mask.0))
    }

    /// To the nearest whole number, halves to even.
    #[inline(always)]
    pub fn round(self) -> Self {
        Self(f32x4_nearest(self.0))
    }

    /// 2 to the power of whole numbers from −126 to 127.
    #[inline(always)]
    pub fn exp2_whole(self) -> Self {
        Self(i32x4_shl(i32x4_add(i32x4_trunc_sat_f32x4(self.0), i32x4_splat(127)), 23))
    }

    /// Rows become columns.
    #[inline(always)]
    pub fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        let (low, low2) = (a.shuffle::<0, 4, 1, 5>(b), c.shuffle::<0, 4, 1, 5>(d));
        let (high, high2) = (a.shuffle::<2, 6, 3, 7>(b), c.shuffle::<2, 6, 3, 7>(d));
        [
            low.shuffle::<0, 1, 4, 5>(low2),
            low.shuffle::<2, 3, 6, 7>(low2),
            high.shuffle::<0, 1, 4, 5>(high2),
            high.shuffle::<2, 3, 6, 7>(high2),
        ]
    }

    /// Where self > other; never where either is NaN.
    #[inline(always)]
    pub fn above(self, other: Self) -> U4 {
        U4(f32x4_gt(self.0, other.0))
    }

    /// Where self is the same number as other.
    #[inline(always)]
    pub fn same(self, other: Self) -> U4 {
        U4(f32x4_eq(self.0, other.0))
    }

    #[inline(always)]
    pub fn bits(self) -> U4 {
        U4(self.0)
    }

    /// Any four lanes of both: 0 to 3 are self's, 4 to 7 other's.
    #[inline(always)]
    pub fn shuffle<const A: usize, const B: usize, const C: usize, const D: usize>(
        self,
        other: Self,
    ) -> Self {
        Self(i32x4_shuffle::<A, B, C, D>(self.0, other.0))
    }

    /// The first two.
    #[inline(always)]
    pub fn low(self) -> D2 {
        D2(f64x2_promote_low_f32x4(self.0))
    }

    /// The last two.
    #[inline(always)]
    pub fn high(self) -> D2 {
        D2(f64x2_promote_low_f32x4(i32x4_shuffle::<2, 3, 2, 3>(self.0, self.0)))
    }

    #[inline(always)]
    pub fn to_array(self) -> [f32; 4] {
        [
            f32x4_extract_lane::<0>(self.0),
            f32x4_extract_lane::<1>(self.0),
            f32x4_extract_lane::<2>(self.0),
            f32x4_extract_lane::<3>(self.0),
        ]
    }
}

#[allow(clippy::should_implement_trait)]
impl D2 {
    #[inline(always)]
    pub fn splat(x: f64) -> Self {
        Self(f64x2_splat(x))
    }

    #[inline(always)]
    pub fn add(self, other: Self) -> Self {
        Self(f64x2_add(self.0, other.0))
    }

    #[inline(always)]
    pub fn mul(self, other: Self) -> Self {
        Self(f64x2_mul(self.0, other.0))
    }

    #[inline(always)]
    pub fn div(self, other: Self) -> Self {
        Self(f64x2_div(self.0, other.0))
    }

    /// The first and the second added.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        f64x2_extract_lane::<0>(self.0) + f64x2_extract_lane::<1>(self.0)
    }
}

#[allow(clippy::should_implement_trait)]
impl U4 {
    #[inline(always)]
    pub fn splat(x: u32) -> Self {
        Self(u32x4_splat(x))
    }

    pub const fn new(a: u32, b: u32, c: u32, d: u32) -> Self {
        Self(u32x4(a, b, c, d))
    }

    #[inline(always)]
    pub fn to_array(self) -> [u32; 4] {
        [
            u32x4_extract_lane::<0>(self.0),
            u32x4_extract_lane::<1>(self.0),
            u32x4_extract_lane::<2>(self.0),
            u32x4_extract_lane::<3>(self.0),
        ]
    }

    /// Modulo 2³².
    #[inline(always)]
    pub fn add(self, other: Self) -> Self {
        Self(i32x4_add(self.0, other.0))
    }

    /// Modulo 2³².
    #[inline(always)]
    pub fn negated(self) -> Self {
        Self(i32x4_neg(self.0))
    }

    #[inline(always)]
    pub fn bitand(self, other: Self) -> Self {
        Self(v128_and(self.0, other.0))
    }

    #[inline(always)]
    pub fn bitor(self, other: Self) -> Self {
        Self(v128_or(self.0, other.0))
    }

    #[inline(always)]
    pub fn bitxor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0))
    }

    #[inline(always)]
    pub fn left(self, bits: u32) -> Self {
        Self(u32x4_shl(self.0, bits))
    }

    #[inline(always)]
    pub fn right(self, bits: u32) -> Self {
        Self(u32x4_shr(self.0, bits))
    }

    /// Shifted as a signed number.
    #[inline(always)]
    pub fn right_signed(self, bits: u32) -> Self {
        Self(i32x4_shr(self.0, bits))
    }

    #[inline(always)]
    pub fn same(self, other: Self) -> Self {
        Self(i32x4_eq(self.0, other.0))
    }

    /// The upper and the lower words of the products.
    #[inline(always)]
    pub fn product(self, other: Self) -> (Self, Self) {
        let first = u64x2_extmul_low_u32x4(self.0, other.0);
        let last = u64x2_extmul_high_u32x4(self.0, other.0);
        (
            Self(i32x4_shuffle::<1, 3, 5, 7>(first, last)),
            Self(i32x4_shuffle::<0, 2, 4, 6>(first, last)),
        )
    }

    /// Whether any bit is set.
    #[inline(always)]
    pub fn any(self) -> bool {
        v128_any_true(self.0)
    }

    /// Whether no number is zero.
    #[inline(always)]
    pub fn all(self) -> bool {
        u32x4_all_true(self.0)
    }

    /// Taken as signed numbers, rounded to f32.
    #[inline(always)]
    pub fn signed_to_f32(self) -> F4 {
        F4(f32x4_convert_i32x4(self.0))
    }

    /// Taken as the bits of f32.
    #[inline(always)]
    pub fn as_f32(self) -> F4 {
        F4(self.0)
    }

    /// As a mask: `yes` where it is set, `no` elsewhere.
    #[inline(always)]
    pub fn choose(self, yes: F4, no: F4) -> F4 {
        F4(v128_bitselect(yes.0, no.0, self.0))
    }
}
