//! Where the crate is only checked and tested: see simd.rs.

use core::array::from_fn;

#[derive(Clone, Copy)]
pub struct F4([f32; 4]);

#[derive(Clone, Copy)]
pub struct D2([f64; 2]);

#[derive(Clone, Copy)]
pub struct U4([u32; 4]);

fn mask(is: bool) -> u32 {
    if is { !0 } else { 0 }
}

#[allow(clippy::should_implement_trait)]
impl F4 {
    /// # Safety
    /// They are all there.
    pub unsafe fn load(at: *const f32) -> Self {
        unsafe { Self(at.cast::<[f32; 4]>().read_unaligned()) }
    }

    /// # Safety
    /// There is room for all.
    pub unsafe fn store(self, at: *mut f32) {
        unsafe { at.cast::<[f32; 4]>().write_unaligned(self.0) }
    }

    pub const fn new(a: f32, b: f32, c: f32, d: f32) -> Self {
        Self([a, b, c, d])
    }

    /// # Safety
    /// It is there.
    pub unsafe fn load_splat(at: *const f32) -> Self {
        unsafe { Self::splat(*at) }
    }

    /// # Safety
    /// They are all there.
    pub unsafe fn load3(at: *const f32) -> Self {
        let [a, b, c] = unsafe { at.cast::<[f32; 3]>().read_unaligned() };
        Self([a, b, c, 0.0])
    }

    /// # Safety
    /// There is room for them.
    pub unsafe fn store3(self, at: *mut f32) {
        let [a, b, c, _] = self.0;
        unsafe { at.cast::<[f32; 3]>().write_unaligned([a, b, c]) }
    }

    pub fn splat(x: f32) -> Self {
        Self([x; 4])
    }

    pub fn add(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] + other.0[i]))
    }

    pub fn sub(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] - other.0[i]))
    }

    pub fn mul(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] * other.0[i]))
    }

    pub fn div(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] / other.0[i]))
    }

    pub fn minus(self) -> Self {
        Self(self.0.map(|x| -x))
    }

    pub fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }

    pub fn max(self, other: Self) -> Self {
        Self(from_fn(|i| {
            let (a, b) = (self.0[i], other.0[i]);
            if a.is_nan() || b.is_nan() { f32::NAN } else { a.max(b) }
        }))
    }

    pub fn lesser(self, other: Self) -> Self {
        Self(from_fn(|i| if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
    }

    pub fn greater(self, other: Self) -> Self {
        Self(from_fn(|i| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
    }

    pub fn below(self, other: Self) -> U4 {
        U4(from_fn(|i| mask(self.0[i] < other.0[i])))
    }

    pub fn at_most(self, other: Self) -> U4 {
        U4(from_fn(|i| mask(self.0[i] <= other.0[i])))
    }

    pub fn only(self, mask: U4) -> Self {
        Self(from_fn(|i| f32::from_bits(self.0[i].to_bits() & mask.0[i])))
    }

    pub fn round(self) -> Self {
        Self(self.0.map(f32::round_ties_even))
    }

    pub fn exp2_whole(self) -> Self {
        Self(self.0.map(f32::exp2))
    }

    pub fn transpose(rows: [Self; 4]) -> [Self; 4] {
        from_fn(|i| Self(from_fn(|j| rows[j].0[i])))
    }

    pub fn above(self, other: Self) -> U4 {
        U4(from_fn(|i| mask(self.0[i] > other.0[i])))
    }

    pub fn same(self, other: Self) -> U4 {
        U4(from_fn(|i| mask(self.0[i] == other.0[i])))
    }

    pub fn bits(self) -> U4 {
        U4(self.0.map(f32::to_bits))
    }

    pub fn shuffle<const A: usize, const B: usize, const C: usize, const D: usize>(
        self,
        other: Self,
    ) -> Self {
        Self([A, B, C, D].map(|i| if i < 4 { self.0[i] } else { other.0[i - 4] }))
    }

    pub fn low(self) -> D2 {
        D2([self.0[0] as f64, self.0[1] as f64])
    }

    pub fn high(self) -> D2 {
        D2([self.0[2] as f64, self.0[3] as f64])
    }

    pub fn to_array(self) -> [f32; 4] {
        self.0
    }
}

#[allow(clippy::should_implement_trait)]
impl D2 {
    pub fn splat(x: f64) -> Self {
        Self([x; 2])
    }

    pub fn add(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] + other.0[i]))
    }

    pub fn mul(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] * other.0[i]))
    }

    pub fn div(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] / other.0[i]))
    }

    pub fn sum(self) -> f64 {
        self.0[0] + self.0[1]
    }
}

#[allow(clippy::should_implement_trait)]
impl U4 {
    pub fn splat(x: u32) -> Self {
        Self([x; 4])
    }

    pub const fn new(a: u32, b: u32, c: u32, d: u32) -> Self {
        Self([a, b, c, d])
    }

    pub fn to_array(self) -> [u32; 4] {
        self.0
    }

    pub fn add(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }

    pub fn negated(self) -> Self {
        Self(self.0.map(u32::wrapping_neg))
    }

    pub fn bitand(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] & other.0[i]))
    }

    pub fn bitor(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] | other.0[i]))
    }

    pub fn bitxor(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] ^ other.0[i]))
    }

    pub fn left(self, bits: u32) -> Self {
        Self(self.0.map(|x| x << bits))
    }

    pub fn right(self, bits: u32) -> Self {
        Self(self.0.map(|x| x >> bits))
    }

    pub fn right_signed(self, bits: u32) -> Self {
        Self(self.0.map(|x| (x as i32 >> bits) as u32))
    }

    pub fn same(self, other: Self) -> Self {
        Self(from_fn(|i| mask(self.0[i] == other.0[i])))
    }

    pub fn product(self, other: Self) -> (Self, Self) {
        let all: [u64; 4] = from_fn(|i| self.0[i] as u64 * other.0[i] as u64);
        (Self(all.map(|x| (x >> 32) as u32)), Self(all.map(|x| x as u32)))
    }

    pub fn any(self) -> bool {
        self.0.iter().any(|&x| x != 0)
    }

    pub fn all(self) -> bool {
        self.0.iter().all(|&x| x != 0)
    }

    pub fn signed_to_f32(self) -> F4 {
        F4(self.0.map(|x| x as i32 as f32))
    }

    pub fn as_f32(self) -> F4 {
        F4(self.0.map(f32::from_bits))
    }

    pub fn choose(self, yes: F4, no: F4) -> F4 {
        F4(from_fn(|i| if self.0[i] != 0 { yes.0[i] } else { no.0[i] }))
    }
}
