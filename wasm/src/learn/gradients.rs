//! What is done to gradients, and to any flat numbers: one per atom, the systems being the parameters of a model.

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::{D2, F4};
use crate::numbers::each;

/// See src/kernels/learn/sum_squares.ts.
pub fn sum_squares(args: Args, frame: &mut Frame) {
    let values = args.read::<f32>(0);
    let squares = args.change::<f64>(1);
    for (s, range) in frame.all() {
        squares[s] = if frame.is_active(s) { sum_of_squares(&values[range]) } else { 0.0 };
    }
}

/// Σ x², in f64 and always in the same order.
fn sum_of_squares(values: &[f32]) -> f64 {
    let whole = values.len() & !7;
    // There are `whole` numbers, eight by eight.
    let mut sum = unsafe { sum_eights(values.as_ptr(), whole / 8) };
    for &x in &values[whole..] {
        sum += x as f64 * x as f64;
    }
    sum
}

/// # Safety
/// There are `count` times eight.
#[inline(never)]
unsafe fn sum_eights(mut at: *const f32, count: usize) -> f64 {
    let mut sums = [D2::splat(0.0); 4];
    for _ in 0..count {
        let (a, b) = unsafe { (F4::load(at), F4::load(at.add(4))) };
        for (sum, x) in sums.iter_mut().zip([a.low(), a.high(), b.low(), b.high()]) {
            *sum = *sum + x * x;
        }
        at = unsafe { at.add(8) };
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3])).sum()
}

/// What keeps a norm of 0 from being divided by; PyTorch has the same.
const TINY: f64 = 1e-6;

/// See src/kernels/learn/clip_norm.ts.
pub fn clip_norm(args: Args, frame: &mut Frame) {
    let values = args.change::<f32>(0);
    let squares = args.read::<f64>(1);
    let limit = args.read::<f32>(2)[0] as f64;
    let norm = squares.iter().sum::<f64>().sqrt();
    let scale = limit / (norm + TINY);
    if !norm.is_finite() || scale.is_nan() || scale >= 1.0 {
        return;
    }
    let scale = F4::splat(scale as f32);
    for (_, range) in frame.awake() {
        each([&mut values[range]], [], |[x], []| [scale * x]);
    }
}

/// See src/kernels/learn/clip_values.ts.
pub fn clip_values(args: Args, frame: &mut Frame) {
    let values = args.change::<f32>(0);
    let limit = F4::splat(args.read::<f32>(1)[0]);
    for (_, range) in frame.awake() {
        // What is not a number comes second in both, and is kept.
        each([&mut values[range]], [], |[x], []| [(-limit).greater(limit.lesser(x))]);
    }
}
