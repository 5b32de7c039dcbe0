//! See src/models/pair/lennard_jones.ts. Parameters: 4εσ¹², 4εσ⁶, the squared cutoff, the shift.

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::{F4, U4};
use crate::pairs::sum::{sum_pairs, Parameters, Potential, PARAMETERS};

struct LennardJones;

impl Potential for LennardJones {
    const WIDTH: usize = 4;

    fn parameters(numbers: &[f32]) -> [f32; PARAMETERS] {
        let &[c12, c6, limit, shift] = numbers else { return [0.0; PARAMETERS] };
        let [a, b, l] = [c12, c6, limit].map(f64::from);
        let [energy_a, energy_b] = [(a / l.powi(6)) as f32, (b / l.powi(3)) as f32];
        [limit, (12.0 * a / l.powi(7)) as f32, (6.0 * b / l.powi(4)) as f32, energy_a, energy_b, shift]
    }

    /// u = (cutoff / r)², so that no other number than the cutoff is divided.
    #[inline(always)]
    fn begin(square: F4, mask: U4, parameters: &Parameters) -> F4 {
        (parameters[0] / square).only(mask)
    }

    #[inline(always)]
    fn slope(u: F4, _: F4, [_, a, b, ..]: &Parameters) -> F4 {
        let u2 = u * u;
        (*a * u * u2 - *b) * (u2 * u2)
    }

    #[inline(always)]
    fn energy(u: F4, [_, _, _, a, b, _]: &Parameters) -> F4 {
        let u3 = u * u * u;
        (*a * u3 - *b) * u3
    }

    #[inline(always)]
    fn shift([.., shift]: &Parameters) -> F4 {
        *shift
    }
}

/// See src/models/pair/lennard_jones.ts.
pub fn lennard_jones(args: Args, frame: &mut Frame) {
    sum_pairs::<LennardJones>(args, frame);
}
