//! Parts of integrators, elementwise: an atom's bits depend on nothing but its own numbers.

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::F4;

/// See src/kernels/kick.ts.
pub fn kick(args: Args, frame: &mut Frame) {
    let velocities = args.change::<f32>(0);
    let forces = args.read::<f32>(1);
    let weights = args.read::<f32>(2);
    let dt = args.read::<f32>(3);
    for (s, atoms) in frame.awake() {
        let (from, to) = (3 * atoms.start, 3 * atoms.end);
        kick_atoms(&mut velocities[from..to], &forces[from..to], &weights[atoms], 0.5 * dt[s]);
    }
}

fn kick_atoms(v: &mut [f32], f: &[f32], weights: &[f32], half: f32) {
    let n = weights.len();
    let whole = n & !3;
    let (v4, f4, w4) = (v.as_mut_ptr(), f.as_ptr(), weights.as_ptr());
    for a in (0..whole).step_by(4) {
        // There are three numbers in `v` and `f` for each weight.
        unsafe {
            for (i, w) in spread(w4.add(a), half).into_iter().enumerate() {
                let k = 3 * a + 4 * i;
                (F4::load(v4.add(k)) + w * F4::load(f4.add(k))).store(v4.add(k));
            }
        }
    }
    for a in whole..n {
        let w = half * weights[a];
        for k in 3 * a..3 * a + 3 {
            v[k] += w * f[k];
        }
    }
}

/// See src/kernels/kick_drift.ts.
pub fn kick_drift(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let velocities = args.change::<f32>(1);
    let forces = args.read::<f32>(2);
    let weights = args.read::<f32>(3);
    let dt = args.read::<f32>(4);
    for (s, atoms) in frame.awake() {
        let (from, to) = (3 * atoms.start, 3 * atoms.end);
        kick_drift_atoms(
            &mut positions[from..to],
            &mut velocities[from..to],
            &forces[from..to],
            &weights[atoms],
            dt[s],
        );
    }
}

fn kick_drift_atoms(x: &mut [f32], v: &mut [f32], f: &[f32], weights: &[f32], dt: f32) {
    let n = weights.len();
    let whole = n & !3;
    let half = 0.5 * dt;
    let (x4, v4, f4, w4) = (x.as_mut_ptr(), v.as_mut_ptr(), f.as_ptr(), weights.as_ptr());
    for a in (0..whole).step_by(4) {
        // There are three numbers in `x`, `v` and `f` for each weight.
        unsafe {
            for (i, w) in spread(w4.add(a), half).into_iter().enumerate() {
                let k = 3 * a + 4 * i;
                let new = F4::load(v4.add(k)) + w * F4::load(f4.add(k));
                new.store(v4.add(k));
                (F4::load(x4.add(k)) + F4::splat(dt) * new).store(x4.add(k));
            }
        }
    }
    for a in whole..n {
        let w = half * weights[a];
        for k in 3 * a..3 * a + 3 {
            v[k] += w * f[k];
            x[k] += dt * v[k];
        }
    }
}

/// The weights of four atoms times `by`, each three times: wwwx xxyy yzzz in three vectors.
///
/// # Safety
/// There are four.
#[inline(always)]
unsafe fn spread(weights: *const f32, by: f32) -> [F4; 3] {
    let w = F4::splat(by) * unsafe { F4::load(weights) };
    [w.shuffle::<0, 0, 0, 1>(w), w.shuffle::<1, 1, 2, 2>(w), w.shuffle::<2, 3, 3, 3>(w)]
}

/// See src/kernels/drift.ts.
pub fn drift(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let velocities = args.read::<f32>(1);
    let dt = args.read::<f32>(2);
    let fraction = args.number(3);
    for (s, atoms) in frame.awake() {
        let step = (fraction * dt[s] as f64) as f32;
        let (from, to) = (3 * atoms.start, 3 * atoms.end);
        for (x, v) in positions[from..to].iter_mut().zip(&velocities[from..to]) {
            *x += step * v;
        }
    }
}

/// See src/kernels/clear.ts.
pub fn clear(args: Args, frame: &mut Frame) {
    let forces = args.change::<f32>(0);
    let energy = args.change::<f64>(1);
    let virial = args.change::<f64>(2);
    for (s, atoms) in frame.awake() {
        forces[3 * atoms.start..3 * atoms.end].fill(0.0);
        virial[9 * s..9 * s + 9].fill(0.0);
        energy[s] = 0.0;
    }
}

/// See src/kernels/advance.ts.
pub fn advance(_: Args, frame: &mut Frame) {
    for (age, &active) in frame.ages.iter_mut().zip(frame.active.iter()) {
        *age = age.wrapping_add((active != 0) as i32);
    }
}
