//! See src/kernels/lennard_jones.ts.

use crate::args::Args;
use crate::frame::Frame;
use crate::pair_lanes::F4;
use crate::pair_sum::{sum_pairs, Parameters, Potential, PARAMETERS};

struct LennardJones;

impl Potential for LennardJones {
    const WIDTH: usize = 4;

    fn parameters(numbers: &[f32]) -> [f32; PARAMETERS] {
        let &[c12, c6, limit, shift] = numbers else { return [0.0; PARAMETERS] };
        [limit, 12.0 * c12, 6.0 * c6, shift, 0.0, 0.0]
    }

    #[inline(always)]
    fn at<const ENERGY: bool>(square: F4, mask: F4, [_, a, b, shift, ..]: &Parameters) -> (F4, F4) {
        let i2 = (F4::splat(1.0) / square).and(mask);
        let i4 = i2 * i2;
        let i6 = i4 * i2;
        let i8 = i4 * i4;
        let c = (*a * i6 - *b) * i8;
        if !ENERGY {
            return (c, c);
        }
        let twelfth = F4::splat(1.0 / 12.0);
        let energy = (*a * i6 - (*b + *b)) * i6 * twelfth - *shift;
        (c, energy.and(mask))
    }
}

/// See src/kernels/lennard_jones.ts.
pub fn lennard_jones(args: Args, frame: &mut Frame) {
    sum_pairs::<LennardJones>(args, frame);
}
