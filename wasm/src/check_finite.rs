//! See src/kernels/check_finite.ts.

use core::ops::Range;

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::F4;

/// Positions further from the origin, Å, count as not finite, as they do in lists of pairs.
const FARTHEST: f32 = 1e9;

/// See src/kernels/check_finite.ts.
pub fn check_finite(args: Args, frame: &mut Frame) {
    for s in frame.block.clone() {
        if !frame.is_active(s) {
            continue;
        }
        let Some(cause) = cause_of(args, s, frame.atoms(s)) else { continue };
        frame.report_diverged(s, cause);
    }
}

/// The number for `CAUSE`, if a number of the system is not finite.
fn cause_of(args: Args, s: usize, atoms: Range<usize>) -> Option<i32> {
    let own = 3 * atoms.start..3 * atoms.end;
    if !is_finite(args, 0, &own, f32::MAX / FARTHEST) || !is_finite(args, 3, &(9 * s..9 * s + 9), 1.0) {
        return Some(0);
    }
    let energy = args.optional::<f64>(4);
    if !is_finite(args, 2, &own, 1.0) || energy.is_some_and(|energy| !energy[s].is_finite()) {
        return Some(1);
    }
    if is_finite(args, 1, &own, 1.0) { None } else { Some(3) }
}

/// Whether the numbers of a range times a scale are finite: 0 x is 0 for those that are, and NaN for all others.
fn is_finite(args: Args, argument: usize, range: &Range<usize>, scale: f32) -> bool {
    let Some(values) = args.optional::<f32>(argument) else { return true };
    let values = &values[range.clone()];
    let whole = values.len() & !15;
    // Four sums: each addition has to wait for the one before it.
    let (zero, by) = (F4::splat(0.0), F4::splat(scale));
    let mut sums = [zero; 4];
    for at in (0..whole).step_by(16) {
        for (i, sum) in sums.iter_mut().enumerate() {
            // There are 16 numbers from `at` on.
            *sum = *sum + zero * (by * unsafe { F4::load(values.as_ptr().add(at + 4 * i)) });
        }
    }
    let mut lanes = [0.0; 4];
    // There is room for four.
    unsafe { (sums[0] + sums[1] + (sums[2] + sums[3])).store(lanes.as_mut_ptr()) };
    let rest: f32 = values[whole..].iter().map(|x| 0.0 * (scale * x)).sum();
    lanes.iter().sum::<f32>() + rest == 0.0
}
