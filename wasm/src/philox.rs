//! Random numbers that depend on nothing but what they are for: see src/kernels/philox.ts. Integers are the same to
//! the bit, Gaussian numbers to the accuracy of f32.

use core::hint::black_box;

use wasm_bindgen::prelude::*;

use crate::lanes::{F4, U4};
use crate::xyz::Xyz;

/// The fourth word of the counter; src/kernels/philox.ts has the same.
pub const THERMOSTAT: u32 = 0;
/// The same for scaling all velocities of a system alike.
pub const RESCALING: u32 = 4;

const M0: u32 = 0xD251_1F53;
const M1: u32 = 0xCD9E_8D57;
const W0: u32 = 0x9E37_79B9;
const W1: u32 = 0xBB67_AE85;

/// The same ten times over, and no loop.
macro_rules! ten {
    ($round:expr) => {{
        $round;
        $round;
        $round;
        $round;
        $round;
        $round;
        $round;
        $round;
        $round;
        $round;
    }};
}

/// A generator for one key.
#[derive(Clone, Copy)]
pub struct Philox {
    key: [u32; 2],
}

impl Philox {
    pub fn new(key: [u32; 2]) -> Self {
        Self { key }
    }

    /// Four times four random words, for four counters.
    #[inline(always)]
    pub fn words(&self, counter: [U4; 4]) -> [U4; 4] {
        // Did LLVM know these, or find them in a loop, it would replace the products of words by those of double
        // words, at several times the price.
        let multipliers = black_box([U4::splat(M0), U4::splat(M1)]);
        let mut state = State { words: counter, key: self.key };
        ten!(state.advance(multipliers));
        state.words
    }

    /// Four random words, for one counter.
    pub fn four(&self, counter: [u32; 4]) -> [u32; 4] {
        self.words(counter.map(U4::splat)).map(|word| word.to_array()[0])
    }

    /// Three Gaussian numbers for each of the atoms `first` to `first` + 3.
    #[inline(always)]
    pub fn gaussians(&self, first: u32, age: u32, id: u32, stream: u32) -> Xyz {
        let atoms = U4::splat(first) + U4::new(0, 1, 2, 3);
        let words = self.words([atoms, U4::splat(age), U4::splat(id), U4::splat(stream)]);
        let (cos, sin) = turn(words[1]);
        let (radius, other) = (distance(words[0]), distance(words[2]));
        Xyz { x: radius * cos, y: radius * sin, z: other * turn(words[3]).0 }
    }
}

/// Between two rounds.
struct State {
    words: [U4; 4],
    key: [u32; 2],
}

impl State {
    #[inline(always)]
    fn advance(&mut self, [m0, m1]: [U4; 2]) {
        let ([c0, c1, c2, c3], [k0, k1]) = (self.words, self.key);
        let (high0, low0) = c0.product(m0);
        let (high1, low1) = c2.product(m1);
        self.words = [high1 ^ c1 ^ U4::splat(k0), low1, high0 ^ c3 ^ U4::splat(k1), low0];
        self.key = [k0.wrapping_add(W0), k1.wrapping_add(W1)];
    }
}

/// √(−2 ln u), u = (⌊word/2⌋ + ½)/2³¹, accurate where u is close to 1 too.
#[inline(always)]
fn distance(word: U4) -> F4 {
    let scale = F4::splat(1.0 / 2_147_483_648.0);
    let (half, whole) = (F4::splat(0.5), word.right(1));
    let u = (whole.signed_to_f32() + half) * scale;
    let rest = ((whole ^ U4::splat(0x7fff_ffff)).signed_to_f32() + half) * scale;
    (F4::splat(-2.0) * logarithm(u, rest)).sqrt()
}

/// ln u for 0 < u ≤ 1 and `rest` = 1 − u: a minimax polynomial in m − 1, u = m 2ᵉ, √½ ≤ m < √2 (Cephes, logf).
#[inline(always)]
fn logarithm(u: F4, rest: F4) -> F4 {
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let exponent = (u.bits() + U4::splat(SQRT_HALF.wrapping_neg())).right_signed(23);
    let e = exponent.signed_to_f32();
    let m = (u.bits() + exponent.left(23).negated()).as_f32();
    let f = exponent.same(U4::splat(0)).choose(-rest, m - F4::splat(1.0));
    let square = f * f;
    let tail = polynomial(f, [
        7.037_683_6e-2,
        -1.151_461e-1,
        1.167_699_9e-1,
        -1.242_014_1e-1,
        1.424_932_3e-1,
        -1.666_805_8e-1,
        2.000_071_5e-1,
        -2.499_999_4e-1,
        3.333_333e-1,
    ]);
    // ln 2 in two parts, the first of few bits.
    let small = f * square * tail + e * F4::splat(-2.121_944_4e-4) - F4::splat(0.5) * square;
    f + small + e * F4::splat(0.693_359_4)
}

/// The cosine and sine of 2π word/2³²: quarter turns from the upper bits, the rest by polynomials (Cephes, sinf).
#[inline(always)]
fn turn(word: U4) -> (F4, F4) {
    let quarter = (word + U4::splat(1 << 29)).right(30);
    let r = word.left(2).signed_to_f32() * F4::splat(core::f32::consts::FRAC_PI_2 / 4_294_967_296.0);
    let square = r * r;
    let sin = r + r * square
        * polynomial(square, [-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1]);
    let cos = F4::splat(1.0) - F4::splat(0.5) * square
        + square * square * polynomial(square, [2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2]);
    let is_odd = (quarter & U4::splat(1)).same(U4::splat(1));
    let minus_sin = (quarter & U4::splat(2)).left(30);
    let minus_cos = ((quarter + U4::splat(1)) & U4::splat(2)).left(30);
    (
        (is_odd.choose(sin, cos).bits() ^ minus_cos).as_f32(),
        (is_odd.choose(cos, sin).bits() ^ minus_sin).as_f32(),
    )
}

/// A number between 0 and 1, neither of them, in f64.
pub fn uniform(word: u32) -> f64 {
    ((word >> 1) as f64 + 0.5) / 2_147_483_648.0
}

/// The first two Gaussian numbers of four words, in f64.
pub fn gaussians(words: [u32; 4]) -> (f64, f64) {
    let radius = (-2.0 * uniform(words[0]).ln()).sqrt();
    let (sin, cos) = (words[1] as f64 * (core::f64::consts::TAU / 4_294_967_296.0)).sin_cos();
    (radius * cos, radius * sin)
}

/// Highest power first.
#[inline(always)]
fn polynomial<const N: usize>(x: F4, coefficients: [f32; N]) -> F4 {
    let mut sum = F4::splat(coefficients[0]);
    for &c in &coefficients[1..] {
        sum = sum * x + F4::splat(c);
    }
    sum
}

/// The four words for one counter and key, for the tests to compare.
#[wasm_bindgen]
pub fn philox(c0: u32, c1: u32, c2: u32, c3: u32, k0: u32, k1: u32) -> Vec<u32> {
    Philox::new([k0, k1]).four([c0, c1, c2, c3]).to_vec()
}

#[cfg(test)]
mod tests {
    use super::philox;

    #[test]
    fn words_are_those_of_random123() {
        let all = !0;
        assert_eq!(philox(0, 0, 0, 0, 0, 0), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(
            philox(all, all, all, all, all, all),
            [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]
        );
    }
}
