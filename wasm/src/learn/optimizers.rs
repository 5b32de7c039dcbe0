//! Optimizers of parameters, elementwise. A row of settings per system; src/kernels says which is where.

use core::array::from_fn;

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::F4;
use crate::numbers::each;

/// The row of a system, each number in all lanes.
fn row<const N: usize>(settings: &[f32], s: usize) -> [F4; N] {
    from_fn(|i| F4::splat(settings[N * s + i]))
}

/// See src/kernels/learn/scale_by_adam.ts.
pub fn scale_by_adam(args: Args, frame: &mut Frame) {
    let updates = args.change::<f32>(0);
    let first = args.change::<f32>(1);
    let second = args.change::<f32>(2);
    let settings = args.read::<f32>(3);
    for (s, range) in frame.awake() {
        let [b1, take1, b2, take2, correct1, correct2, eps] = row(settings, s);
        let (m, v) = (&mut first[range.clone()], &mut second[range.clone()]);
        each([&mut updates[range], m, v], [], |[g, m, v], []| {
            let m = b1 * m + take1 * g;
            let v = b2 * v + take2 * (g * g);
            [(m * correct1) / (v.sqrt() * correct2 + eps), m, v]
        });
    }
}

/// See src/kernels/learn/scale_by_momentum.ts.
pub fn scale_by_momentum(args: Args, frame: &mut Frame) {
    let updates = args.change::<f32>(0);
    let trace = args.change::<f32>(1);
    let settings = args.read::<f32>(2);
    for (s, range) in frame.awake() {
        let [momentum, take, _] = row(settings, s);
        let (g, m) = (&mut updates[range.clone()], &mut trace[range]);
        if settings[3 * s + 2] == 0.0 {
            each([g, m], [], |[g, m], []| {
                let m = momentum * m + take * g;
                [m, m]
            });
        } else {
            each([g, m], [], |[g, m], []| {
                let m = momentum * m + take * g;
                [g + momentum * m, m]
            });
        }
    }
}

/// See src/kernels/learn/scale_by_lion.ts.
pub fn scale_by_lion(args: Args, frame: &mut Frame) {
    let updates = args.change::<f32>(0);
    let trace = args.change::<f32>(1);
    let settings = args.read::<f32>(2);
    for (s, range) in frame.awake() {
        let [b1, take1, b2, take2] = row(settings, s);
        each([&mut updates[range.clone()], &mut trace[range]], [], |[g, m], []| {
            [sign(b1 * m + take1 * g), b2 * m + take2 * g]
        });
    }
}

/// 1, −1, or itself where it is 0 or not a number.
#[inline(always)]
fn sign(x: F4) -> F4 {
    let (zero, one) = (F4::splat(0.0), F4::splat(1.0));
    x.above(zero).choose(one, x.below(zero).choose(-one, x))
}

/// See src/kernels/learn/adam_step.ts.
pub fn adam_step(args: Args, frame: &mut Frame) {
    let parameters = args.change::<f32>(0);
    let gradients = args.read::<f32>(1);
    let first = args.change::<f32>(2);
    let second = args.change::<f32>(3);
    let settings = args.read::<f32>(4);
    for (s, range) in frame.awake() {
        let [b1, take1, b2, take2, step, correct2, eps, keep, l2] = row(settings, s);
        let (m, v) = (&mut first[range.clone()], &mut second[range.clone()]);
        let p = &mut parameters[range.clone()];
        each([p, m, v], [&gradients[range]], |[p, m, v], [g]| {
            let g = g + l2 * p;
            let m = b1 * m + take1 * g;
            let v = b2 * v + take2 * (g * g);
            [keep * p - (step * m) / (v.sqrt() * correct2 + eps), m, v]
        });
    }
}
