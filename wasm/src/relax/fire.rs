//! Fast inertial relaxation engines. State and sums are f64.

use crate::args::Args;
use crate::constants::ACCELERATION;
use crate::frame::Frame;
use crate::lanes::{D2, F4};
use crate::xyz::{padded, Xyz};

/// A row of parameters per system; src/kernels/relax/fire_step.ts and fire2_step.ts say which is where.
const PARAMETERS: usize = 8;
const DT_MAX: usize = 0;
const DT_MIN: usize = 1;
const MAX_STEP: usize = 2;
const DELAY: usize = 3;
const DT_SHRINK: usize = 4;
const DT_GROW: usize = 5;
const ALPHA_START: usize = 6;
const ALPHA_SHRINK: usize = 7;

/// Σ v² and Σ F² up to here have terms whose sums are within f32 in a step.
const HUGE: f64 = 1e34;

/// See src/kernels/relax/fire_step.ts.
pub fn fire_step(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let velocities = args.change::<f32>(1);
    let forces = args.read::<f32>(2);
    let weights = args.read::<f32>(3);
    let mut engines = Engines::new(args, 4);
    let mut cells = Cells::new(args, 8);
    for (s, atoms) in frame.awake() {
        let (from, to) = (3 * atoms.start, 3 * atoms.end);
        let (v, f) = (&mut velocities[from..to], &forces[from..to]);
        let mut cell = cells.as_mut().map(|cells| cells.of(s));
        let sums = Sums::of(v, f).with(&cell);
        let step = engines.dt[s];
        let is_downhill = sums.power > 0.0;
        // FIRE counts the step under way, FIRE 2.0 does not.
        engines.update(s, is_downhill, engines.parameter(s, DELAY) - 1.0);
        let mut leap = Leap { keep: 1.0, steer: 0.0, step: step as f32, limit: engines.parameter(s, MAX_STEP) as f32 };
        if is_downhill {
            let alpha = engines.alpha[s];
            leap.keep = (1.0 - alpha) as f32;
            leap.steer = (alpha * (sums.vv / sums.ff).sqrt()) as f32;
        } else {
            v.fill(0.0);
            if let Some(cell) = &mut cell {
                cell.v.fill(0.0);
            }
        }
        let weights = &weights[atoms];
        if sums.vv.max(sums.ff) < HUGE {
            leap.take(&mut positions[from..to], v, f, weights);
        } else {
            leap.take_far(&mut positions[from..to], v, f, weights);
        }
        if let Some(cell) = &mut cell {
            let total: f64 = weights.iter().map(|&w| w as f64).sum();
            let atoms = weights.len().max(1) as f64;
            leap.take_cell(cell, (total / atoms) as f32, atoms.sqrt() as f32);
        }
    }
}

/// What moves the atoms of a system: v = keep v + steer F + step w F; x += step v, no further than the limit.
struct Leap {
    keep: f32,
    steer: f32,
    step: f32,
    limit: f32,
}

impl Leap {
    fn take(&self, x: &mut [f32], v: &mut [f32], f: &[f32], weights: &[f32]) {
        let whole = weights.len() & !3;
        for a in (0..whole).step_by(4) {
            let k = 3 * a;
            // There are three numbers in `x`, `v` and `f` for each weight.
            unsafe {
                self.take_four(
                    x.as_mut_ptr().add(k),
                    v.as_mut_ptr().add(k),
                    f.as_ptr().add(k),
                    weights.as_ptr().add(a),
                );
            }
        }
        if whole == weights.len() {
            return;
        }
        let (rest_x, rest_v) = (&mut x[3 * whole..], &mut v[3 * whole..]);
        let (mut x4, mut v4): ([f32; 12], [f32; 12]) = (padded(rest_x, 0.0), padded(rest_v, 0.0));
        let (f4, w4): ([f32; 12], [f32; 4]) = (padded(&f[3 * whole..], 0.0), padded(&weights[whole..], 0.0));
        unsafe { self.take_four(x4.as_mut_ptr(), v4.as_mut_ptr(), f4.as_ptr(), w4.as_ptr()) };
        rest_x.copy_from_slice(&x4[..rest_x.len()]);
        rest_v.copy_from_slice(&v4[..rest_v.len()]);
    }

    /// The same, where squares of velocities may be beyond f32.
    #[cold]
    fn take_far(&self, x: &mut [f32], v: &mut [f32], f: &[f32], weights: &[f32]) {
        for (a, &weight) in weights.iter().enumerate() {
            let own = 3 * a..3 * a + 3;
            let (x, v) = (&mut x[own.clone()], &mut v[own.clone()]);
            for (v, &f) in v.iter_mut().zip(&f[own]) {
                *v = self.keep * *v + self.steer * f + self.step * weight * f;
            }
            let far = self.step as f64 * fastest(v);
            let part = if far > self.limit as f64 { self.limit as f64 / far } else { 1.0 };
            x.iter_mut().zip(v).for_each(|(x, v)| *x += (part * self.step as f64 * *v as f64) as f32);
        }
    }

    /// As an atom of this weight, which may go so many times as far.
    fn take_cell(&self, cell: &mut OneCell, weight: f32, reach: f32) {
        let limit = self.limit * reach;
        let kick = self.step * weight;
        let mut square = 0.0;
        for (v, f) in cell.v.iter_mut().zip(cell.f) {
            *v = self.keep * *v + self.steer * f + kick * f;
            square += *v * *v;
        }
        // The square may be beyond f32, the speed is not.
        let speed = if square < f32::INFINITY { square.sqrt() } else { cell.speed() as f32 };
        let far = self.step * speed;
        let length = if far > limit { self.step * (limit / far) } else { self.step };
        cell.x.iter_mut().zip(cell.v.iter()).for_each(|(x, v)| *x += length * v);
    }

    /// # Safety
    /// There are twelve numbers in all but the last, which has four.
    #[inline(always)]
    unsafe fn take_four(&self, x: *mut f32, v: *mut f32, f: *const f32, weights: *const f32) {
        let [keep, steer, step, limit] = [self.keep, self.steer, self.step, self.limit].map(F4::splat);
        let (force, kick) = unsafe { (Xyz::load(f), step * F4::load(weights)) };
        let mixed = unsafe { Xyz::load(v) }.times(keep).plus(force.times(steer));
        let new = mixed.plus(force.times(kick));
        let far = step * new.square().sqrt();
        let length = far.above(limit).choose(step * (limit / far), step);
        unsafe {
            new.store(v);
            Xyz::load(x).plus(new.times(length)).store(x);
        }
    }
}

/// See src/kernels/relax/fire2_step.ts.
pub fn fire2_step(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let velocities = args.change::<f32>(1);
    let forces = args.read::<f32>(2);
    let mut engines = Engines::new(args, 3);
    let mut cells = Cells::new(args, 7);
    for (s, atoms) in frame.awake() {
        let (from, to) = (3 * atoms.start, 3 * atoms.end);
        let (v, f) = (&mut velocities[from..to], &forces[from..to]);
        let kick = (engines.dt[s] * ACCELERATION) as f32;
        v.iter_mut().zip(f).for_each(|(v, f)| *v += kick * f);
        let mut cell = cells.as_mut().map(|cells| cells.of(s));
        if let Some(cell) = &mut cell {
            cell.v.iter_mut().zip(cell.f).for_each(|(v, f)| *v += kick * f);
        }
        let sums = Sums::of(v, f).with(&cell);
        let is_downhill = sums.power > 0.0;
        engines.update(s, is_downhill, engines.parameter(s, DELAY));
        let alpha = engines.alpha[s];
        let keep = (1.0 - alpha) as f32;
        let steer = if sums.ff > 0.0 { alpha * (sums.vv / sums.ff).sqrt() } else { 0.0 } as f32;
        v.iter_mut().zip(f).for_each(|(v, f)| *v = keep * *v + steer * f);
        if let Some(cell) = &mut cell {
            cell.v.iter_mut().zip(cell.f).for_each(|(v, f)| *v = keep * *v + steer * f);
        }
        let longest = if is_downhill { engines.dt[s] } else { -0.5 * engines.dt[s] };
        let reach = (v.len() / 3).max(1) as f64;
        let far = longest.abs() * fastest(v).max(cell.as_ref().map_or(0.0, |cell| cell.speed() / reach.sqrt()));
        let limit = engines.parameter(s, MAX_STEP);
        let scale = if far > limit { limit / far } else { 1.0 };
        let step = (scale * longest) as f32;
        positions[from..to].iter_mut().zip(v.iter()).for_each(|(x, v)| *x += step * v);
        if !is_downhill {
            v.fill(0.0);
        }
        if let Some(cell) = &mut cell {
            cell.x.iter_mut().zip(cell.v.iter()).for_each(|(x, v)| *x += step * v);
            if !is_downhill {
                cell.v.fill(0.0);
            }
        }
        engines.dt[s] *= scale;
    }
}

/// The largest speed of an atom.
fn fastest(v: &[f32]) -> f64 {
    let square = |v: &[f32]| {
        let [x, y, z] = [v[0] as f64, v[1] as f64, v[2] as f64];
        x * x + y * y + z * z
    };
    v.chunks_exact(3).map(square).fold(0.0, f64::max).sqrt()
}

/// The cells of all systems, where they take part: nine numbers each.
struct Cells {
    x: &'static mut [f32],
    v: &'static mut [f32],
    f: &'static [f32],
}

impl Cells {
    /// From three arguments in a row.
    fn new(args: Args, at: usize) -> Option<Self> {
        let x = args.optional(at)?;
        Some(Self { x, v: args.change(at + 1), f: args.read(at + 2) })
    }

    fn of(&mut self, s: usize) -> OneCell<'_> {
        let nine = 9 * s..9 * s + 9;
        OneCell { x: &mut self.x[nine.clone()], v: &mut self.v[nine.clone()], f: &self.f[nine] }
    }
}

/// That of a system.
struct OneCell<'a> {
    x: &'a mut [f32],
    v: &'a mut [f32],
    f: &'a [f32],
}

impl OneCell<'_> {
    fn speed(&self) -> f64 {
        self.v.iter().map(|&v| v as f64 * v as f64).sum::<f64>().sqrt()
    }
}

/// The state of the engines of all systems.
struct Engines {
    dt: &'static mut [f64],
    alpha: &'static mut [f64],
    positive: &'static mut [i32],
    parameters: &'static [f64],
}

impl Engines {
    /// From four arguments in a row.
    fn new(args: Args, at: usize) -> Self {
        Self {
            dt: args.change(at),
            alpha: args.change(at + 1),
            positive: args.change(at + 2),
            parameters: args.read(at + 3),
        }
    }

    fn parameter(&self, s: usize, which: usize) -> f64 {
        self.parameters[PARAMETERS * s + which]
    }

    /// After a step downhill or not; `delay`: how many in a row change nothing yet.
    fn update(&mut self, s: usize, is_downhill: bool, delay: f64) {
        if !is_downhill {
            self.positive[s] = 0;
            self.dt[s] = (self.dt[s] * self.parameter(s, DT_SHRINK)).max(self.parameter(s, DT_MIN));
            self.alpha[s] = self.parameter(s, ALPHA_START);
            return;
        }
        self.positive[s] += 1;
        if self.positive[s] as f64 > delay {
            self.dt[s] = (self.dt[s] * self.parameter(s, DT_GROW)).min(self.parameter(s, DT_MAX));
            self.alpha[s] *= self.parameter(s, ALPHA_SHRINK);
        }
    }
}

/// Σ v·F, Σ v², Σ F² of a system, in f64 and always in the same order.
struct Sums {
    power: f64,
    vv: f64,
    ff: f64,
}

impl Sums {
    /// And of its cell.
    fn with(mut self, cell: &Option<OneCell>) -> Self {
        if let Some(OneCell { v, f, .. }) = cell {
            let sums = Self::of(v, f);
            self.power += sums.power;
            self.vv += sums.vv;
            self.ff += sums.ff;
        }
        self
    }

    fn of(v: &[f32], f: &[f32]) -> Self {
        let zero = [D2::splat(0.0); 2];
        let (mut power, mut vv, mut ff) = (zero, zero, zero);
        let whole = v.len() & !3;
        for k in (0..whole).step_by(4) {
            // `f` is as long as `v`.
            let (a, b) = unsafe { (F4::load(v.as_ptr().add(k)), F4::load(f.as_ptr().add(k))) };
            for (i, (a, b)) in [(a.low(), b.low()), (a.high(), b.high())].into_iter().enumerate() {
                power[i] = power[i] + a * b;
                vv[i] = vv[i] + a * a;
                ff[i] = ff[i] + b * b;
            }
        }
        let total = |parts: [D2; 2]| parts[0].sum() + parts[1].sum();
        let mut sums = Self { power: total(power), vv: total(vv), ff: total(ff) };
        for (&a, &b) in v[whole..].iter().zip(&f[whole..]) {
            let (a, b) = (a as f64, b as f64);
            sums.power += a * b;
            sums.vv += a * a;
            sums.ff += b * b;
        }
        sums
    }
}
