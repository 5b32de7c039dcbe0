//! Parts of integrators, elementwise: an atom's bits depend on nothing but its own numbers.

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::F4;

/// How many fours a turn of a loop does: where each access is checked (in Deno), with fewer the turns cost more, with
/// more there are not enough registers for what addresses are compared with.
const BLOCK: usize = 4;

/// See src/kernels/integrate/kick.ts.
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
    let whole = weights.len() & !3;
    // There are three numbers in `v` and `f` for each weight.
    unsafe { kick_fours(v.as_mut_ptr(), f.as_ptr(), weights.as_ptr(), whole / 4, half) };
    for a in whole..weights.len() {
        let w = half * weights[a];
        for k in 3 * a..3 * a + 3 {
            v[k] += w * f[k];
        }
    }
}

/// The same for `count` times four atoms.
///
/// # Safety
/// There are as many.
#[inline(never)]
unsafe fn kick_fours(
    mut v: *mut f32,
    mut f: *const f32,
    mut weights: *const f32,
    count: usize,
    half: f32,
) {
    unsafe {
        for _ in 0..count / BLOCK {
            for i in 0..BLOCK {
                kick_four(v.add(12 * i), f.add(12 * i), weights.add(4 * i), half);
            }
            (v, f, weights) = (v.add(12 * BLOCK), f.add(12 * BLOCK), weights.add(4 * BLOCK));
        }
        for _ in 0..count % BLOCK {
            kick_four(v, f, weights, half);
            (v, f, weights) = (v.add(12), f.add(12), weights.add(4));
        }
    }
}

/// # Safety
/// There are four atoms.
#[inline(always)]
unsafe fn kick_four(v: *mut f32, f: *const f32, weights: *const f32, half: f32) {
    unsafe {
        let [a, b, c] = spread(weights, half);
        (F4::load(v) + a * F4::load(f)).store(v);
        (F4::load(v.add(4)) + b * F4::load(f.add(4))).store(v.add(4));
        (F4::load(v.add(8)) + c * F4::load(f.add(8))).store(v.add(8));
    }
}

/// See src/kernels/integrate/kick_drift.ts.
pub fn kick_drift(args: Args, frame: &mut Frame) {
    kicks_drift::<1>(args, frame);
}

/// The last kick of a step and the first of the next in one pass over memory: the same bits as `kick`, `kick_drift`.
pub fn kick_kick_drift(args: Args, frame: &mut Frame) {
    kicks_drift::<2>(args, frame);
}

fn kicks_drift<const KICKS: usize>(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let velocities = args.change::<f32>(1);
    let forces = args.read::<f32>(2);
    let weights = args.read::<f32>(3);
    let dt = args.read::<f32>(4);
    let mut low = args.optional::<f32>(5);
    for (s, atoms) in frame.awake() {
        let (from, to) = (3 * atoms.start, 3 * atoms.end);
        let x = &mut positions[from..to];
        let v = &mut velocities[from..to];
        let (f, weights) = (&forces[from..to], &weights[atoms]);
        match &mut low {
            Some(low) => {
                let low = low[from..to].as_mut_ptr();
                kick_drift_atoms::<KICKS, true>(x, low, v, f, weights, dt[s]);
            }
            None => kick_drift_atoms::<KICKS, false>(x, core::ptr::null_mut(), v, f, weights, dt[s]),
        }
    }
}

/// `low`: as long as `x` where `LOW`, else not touched.
fn kick_drift_atoms<const KICKS: usize, const LOW: bool>(
    x: &mut [f32],
    low: *mut f32,
    v: &mut [f32],
    f: &[f32],
    weights: &[f32],
    dt: f32,
) {
    let whole = weights.len() & !3;
    // There are three numbers in `x`, `v` and `f` for each weight.
    unsafe {
        let places = Places { x: x.as_mut_ptr(), low, v: v.as_mut_ptr(), f: f.as_ptr() };
        kick_drift_fours::<KICKS, LOW>(places, weights.as_ptr(), whole / 4, dt);
    }
    for a in whole..weights.len() {
        let w = 0.5 * dt * weights[a];
        for k in 3 * a..3 * a + 3 {
            for _ in 0..KICKS {
                v[k] += w * f[k];
            }
            x[k] = if LOW { unsafe { add_to(x[k], &mut *low.add(k), dt * v[k]) } } else { x[k] + dt * v[k] };
        }
    }
}

/// x + by, with what rounding takes off kept in `low` for the next time (Kahan's sum).
#[inline(always)]
fn add_to(x: f32, low: &mut f32, by: f32) -> f32 {
    let by = by + *low;
    let sum = x + by;
    *low = by - (sum - x);
    sum
}

/// Where the numbers of some atoms begin.
#[derive(Clone, Copy)]
struct Places {
    x: *mut f32,
    low: *mut f32,
    v: *mut f32,
    f: *const f32,
}

impl Places {
    /// # Safety
    /// There are as many numbers.
    #[inline(always)]
    unsafe fn add<const LOW: bool>(self, numbers: usize) -> Self {
        unsafe {
            Self {
                x: self.x.add(numbers),
                low: if LOW { self.low.add(numbers) } else { self.low },
                v: self.v.add(numbers),
                f: self.f.add(numbers),
            }
        }
    }
}

/// The same for `count` times four atoms.
///
/// # Safety
/// There are as many.
#[inline(never)]
unsafe fn kick_drift_fours<const KICKS: usize, const LOW: bool>(
    mut at: Places,
    mut weights: *const f32,
    count: usize,
    dt: f32,
) {
    unsafe {
        for _ in 0..count / BLOCK {
            for i in 0..BLOCK {
                kick_drift_four::<KICKS, LOW>(at.add::<LOW>(12 * i), weights.add(4 * i), dt);
            }
            (at, weights) = (at.add::<LOW>(12 * BLOCK), weights.add(4 * BLOCK));
        }
        for _ in 0..count % BLOCK {
            kick_drift_four::<KICKS, LOW>(at, weights, dt);
            (at, weights) = (at.add::<LOW>(12), weights.add(4));
        }
    }
}

/// # Safety
/// There are four atoms.
#[inline(always)]
unsafe fn kick_drift_four<const KICKS: usize, const LOW: bool>(at: Places, weights: *const f32, dt: f32) {
    let step = F4::splat(dt);
    unsafe {
        for (i, w) in spread(weights, 0.5 * dt).into_iter().enumerate() {
            let Places { x, low, v, f } = at.add::<LOW>(4 * i);
            let push = w * F4::load(f);
            let mut new = F4::load(v);
            for _ in 0..KICKS {
                new = new + push;
            }
            new.store(v);
            let (old, mut by) = (F4::load(x), step * new);
            if LOW {
                by = by + F4::load(low);
            }
            let sum = old + by;
            sum.store(x);
            if LOW {
                (by - (sum - old)).store(low);
            }
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

/// See src/kernels/integrate/drift.ts.
pub fn drift(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let velocities = args.read::<f32>(1);
    let dt = args.read::<f32>(2);
    let fraction = args.number(3);
    let mut low = args.optional::<f32>(4);
    for (s, atoms) in frame.awake() {
        let step = (fraction * dt[s] as f64) as f32;
        let (from, to) = (3 * atoms.start, 3 * atoms.end);
        let moving = positions[from..to].iter_mut().zip(&velocities[from..to]);
        match &mut low {
            Some(low) => {
                for ((x, v), low) in moving.zip(&mut low[from..to]) {
                    *x = add_to(*x, low, step * v);
                }
            }
            None => {
                for (x, v) in moving {
                    *x += step * v;
                }
            }
        }
    }
}

/// See src/kernels/integrate/advance.ts.
pub fn advance(_: Args, frame: &mut Frame) {
    let block = frame.block.clone();
    for (age, &active) in frame.ages[block.clone()].iter_mut().zip(&frame.active[block]) {
        *age = age.wrapping_add((active != 0) as i32);
    }
}
