//! See src/models/pair/morse.ts. Parameters: r₀, a log₂ e, D, the squared cutoff, the shift.

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::{F4, U4};
use crate::pairs::sum::{sum_pairs, Parameters, Potential, PARAMETERS};

struct Morse;

impl Potential for Morse {
    const WIDTH: usize = 5;

    fn parameters(numbers: &[f32]) -> [f32; PARAMETERS] {
        let &[r0, a, depth, limit, shift] = numbers else { return [0.0; PARAMETERS] };
        let a = (f64::from(a) * core::f64::consts::LN_2) as f32;
        [limit, -a, r0, depth, 2.0 * a * depth, shift]
    }

    /// q = exp(−a(r − r₀)).
    #[inline(always)]
    fn begin(square: F4, mask: U4, [_, a, r0, ..]: &Parameters) -> F4 {
        exp(*a * (square.sqrt() - *r0)).only(mask)
    }

    #[inline(always)]
    fn slope(q: F4, square: F4, [_, _, _, _, factor, _]: &Parameters) -> F4 {
        // An atom is no pair of its own, but it may stand in a masked lane.
        let r = square.sqrt().greater(F4::splat(1e-6));
        *factor * q * (q - F4::splat(1.0)) / r
    }

    #[inline(always)]
    fn energy(q: F4, [_, _, _, depth, _, _]: &Parameters) -> F4 {
        *depth * q * (q - F4::splat(2.0))
    }

    #[inline(always)]
    fn shift([.., shift]: &Parameters) -> F4 {
        *shift
    }
}

/// e to the power of x, to 2 units in the last place; the ends of the range of floats where x is beyond them.
///
/// x = n ln 2 + f with n whole; e^f by a polynomial (Cephes).
#[inline(always)]
fn exp(x: F4) -> F4 {
    let x = x.lesser(F4::splat(88.0)).greater(F4::splat(-87.0));
    let n = (x * F4::splat(core::f32::consts::LOG2_E)).round();
    let f = x - n * F4::splat(0.693_359_4) - n * F4::splat(-2.121_944_4e-4);
    let mut p = F4::splat(1.987_569_1e-4);
    for c in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5] {
        p = p * f + F4::splat(c);
    }
    (p * f * f + f + F4::splat(1.0)) * n.exp2_whole()
}

/// See src/models/pair/morse.ts.
pub fn morse(args: Args, frame: &mut Frame) {
    sum_pairs::<Morse>(args, frame);
}
