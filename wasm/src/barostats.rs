//! Cells that strain, and atoms in them. State and sums are f64.

use crate::args::Args;
use crate::cells::{product, signed_volume, Cell, IDENTITY};
use crate::frame::Frame;
use crate::lanes::{D2, F4};
use crate::thermostats::chain::Chain;
use crate::xyz::{padded, Xyz};

/// A row of parameters per system; src/kernels/barostats/barostat_kick.ts says which is where.
const PARAMETERS: usize = 4;
const DT: usize = 0;
const PRESSURE: usize = 1;
const KT: usize = 2;
const TIME: usize = 3;

const ISOTROPIC: f64 = 1.0;
const TRICLINIC: f64 = 6.0;

/// How far the series goes: for a strain of up to 1, and of up to 1 %, which leaves out nothing that f64 would keep.
const TERMS: usize = 16;
const FEW_TERMS: usize = 8;
const LITTLE: f64 = 1e-2;

/// See src/kernels/barostats/barostat_kick.ts.
pub fn barostat_kick(args: Args, frame: &mut Frame) {
    let velocities = args.read::<f32>(0);
    let weights = args.read::<f32>(1);
    let cells = args.read::<f32>(2);
    let low = args.read::<f64>(3);
    let virial = args.read::<f64>(4);
    let parameters = args.read::<f64>(5);
    let freedom = args.read::<i32>(6);
    let rate = args.change::<f64>(7);
    let bath_energy = args.change::<f64>(8);
    let coupling = args.number(9);
    for (s, atoms) in frame.awake() {
        let mut force = kinetic(&velocities[3 * atoms.start..3 * atoms.end], &weights[atoms]);
        let parameters = &parameters[PARAMETERS * s..PARAMETERS * (s + 1)];
        let cell = exact(cells, low, s);
        let work = parameters[PRESSURE] * signed_volume(&cell).abs();
        let f = freedom[s] as f64;
        let each = if f > 0.0 { (force[0] + force[4] + force[8]) / f } else { 0.0 };
        for k in 0..9 {
            force[k] += (virial[9 * s + k] + virial[9 * s + k % 3 * 3 + k / 3]) / 2.0;
            if k % 4 == 0 {
                force[k] += each - work;
            } else if coupling != TRICLINIC {
                force[k] = 0.0;
            }
        }
        if coupling == ISOTROPIC {
            let mean = (force[0] + force[4] + force[8]) / 3.0;
            for k in [0, 4, 8] {
                force[k] = mean;
            }
        }
        let inertia = inertia_of(parameters, f);
        let kick = parameters[DT] / 2.0 / inertia;
        let mut square = 0.0;
        for (rate, force) in rate[9 * s..9 * s + 9].iter_mut().zip(force) {
            *rate += kick * force;
            square += *rate * *rate;
        }
        bath_energy[s] = work + inertia * square / 2.0;
    }
}

/// W of a system with so many degrees of freedom, eV fs².
fn inertia_of(parameters: &[f64], freedom: f64) -> f64 {
    (freedom / 3.0 + 1.0) * parameters[KT] * parameters[TIME] * parameters[TIME]
}

/// A cell with what rounding took off it.
fn exact(cells: &[f32], low: &[f64], system: usize) -> Cell {
    core::array::from_fn(|k| cells[9 * system + k] as f64 + low[9 * system + k])
}

/// Σ v⊗v/w, in f64 and always in the same order.
fn kinetic(v: &[f32], weights: &[f32]) -> Cell {
    let whole = weights.len() & !3;
    let mut sums = [D2::splat(0.0); 6];
    for a in (0..whole).step_by(4) {
        // There are three velocities for each weight.
        unsafe { add_four(&mut sums, v.as_ptr().add(3 * a), weights.as_ptr().add(a)) };
    }
    if whole < weights.len() {
        let (v, w): ([f32; 12], [f32; 4]) = (padded(&v[3 * whole..], 0.0), padded(&weights[whole..], 0.0));
        unsafe { add_four(&mut sums, v.as_ptr(), w.as_ptr()) };
    }
    let [xx, yy, zz, xy, xz, yz] = sums.map(|sum| sum.sum());
    [xx, xy, xz, xy, yy, yz, xz, yz, zz]
}

/// # Safety
/// There are twelve velocities and four weights.
#[inline(always)]
unsafe fn add_four(sums: &mut [D2; 6], v: *const f32, weights: *const f32) {
    let (v, w) = unsafe { (Xyz::load(v), F4::load(weights)) };
    // Where the weight is 0 there is no kinetic energy: v²/∞.
    let w = w.same(F4::splat(0.0)).choose(F4::splat(f32::INFINITY), w);
    let halves = [(v.x.low(), v.y.low(), v.z.low(), w.low()), (v.x.high(), v.y.high(), v.z.high(), w.high())];
    for (x, y, z, w) in halves {
        let (p, q, r) = (x / w, y / w, z / w);
        for (sum, term) in sums.iter_mut().zip([p * x, q * y, r * z, p * y, p * z, q * z]) {
            *sum = *sum + term;
        }
    }
}

/// What a steady rate of strain does: see src/kernels/cells/strain.ts.
struct Strain {
    grow: Cell,
    push: Cell,
}

impl Strain {
    fn new(total: Cell, time: f64) -> Self {
        let mut push = IDENTITY;
        let is_little = total.iter().all(|x| x.abs() < LITTLE / 3.0);
        for n in (2..=if is_little { FEW_TERMS } else { TERMS }).rev() {
            let product = product(&total, &push);
            push = core::array::from_fn(|k| product[k] / n as f64 + IDENTITY[k]);
        }
        Self { grow: product(&total, &push), push: push.map(|x| time * x) }
    }
}

/// A symmetric matrix for four atoms at a time.
#[derive(Clone, Copy)]
struct Matrix {
    xx: F4,
    yy: F4,
    zz: F4,
    xy: F4,
    xz: F4,
    yz: F4,
}

impl Matrix {
    fn of(m: &Cell) -> Self {
        let [xx, yy, zz, xy, xz, yz] = [m[0], m[4], m[8], m[1], m[2], m[5]].map(|x| F4::splat(x as f32));
        Self { xx, yy, zz, xy, xz, yz }
    }

    #[inline(always)]
    fn times(self, v: Xyz) -> Xyz {
        Xyz {
            x: self.xx * v.x + self.xy * v.y + self.xz * v.z,
            y: self.xy * v.x + self.yy * v.y + self.yz * v.z,
            z: self.xz * v.x + self.yz * v.y + self.zz * v.z,
        }
    }
}

/// The two matrices of a strain for atoms.
#[derive(Clone, Copy)]
struct Flow {
    grow: Matrix,
    push: Matrix,
}

impl Flow {
    fn of(strain: &Strain) -> Self {
        Self { grow: Matrix::of(&strain.grow), push: Matrix::of(&strain.push) }
    }

    /// How far four vectors go.
    #[inline(always)]
    fn of_four(self, x: Xyz, y: Xyz) -> Xyz {
        self.grow.times(x).plus(self.push.times(y))
    }

    /// # Safety
    /// There are twelve velocities and forces, and four weights.
    #[inline(always)]
    unsafe fn kick_four(self, v: *mut f32, f: *const f32, weights: *const f32) {
        unsafe {
            let old = Xyz::load(v);
            let push = Xyz::load(f).times(F4::load(weights));
            old.plus(self.of_four(old, push)).store(v);
        }
    }

    /// # Safety
    /// There are twelve numbers in each.
    #[inline(always)]
    unsafe fn drift_four(self, x: *mut f32, low: *mut f32, v: *const f32) {
        unsafe {
            let old = Xyz::load(x);
            let by = self.of_four(old, Xyz::load(v)).plus(Xyz::load(low));
            let new = old.plus(by);
            new.store(x);
            // What rounding takes off, for the next time (Kahan's sum).
            Xyz {
                x: by.x - (new.x - old.x),
                y: by.y - (new.y - old.y),
                z: by.z - (new.z - old.z),
            }
            .store(low);
        }
    }
}

/// See src/kernels/barostats/strained_kick.ts.
pub fn strained_kick(args: Args, frame: &mut Frame) {
    let velocities = args.change::<f32>(0);
    let forces = args.read::<f32>(1);
    let weights = args.read::<f32>(2);
    let dt = args.read::<f32>(3);
    let rates = args.read::<f64>(4);
    let freedom = args.read::<i32>(5);
    for (s, atoms) in frame.awake() {
        let rate = &rates[9 * s..9 * s + 9];
        let (time, f) = (dt[s] as f64 / 2.0, freedom[s] as f64);
        let all = if f > 0.0 { (rate[0] + rate[4] + rate[8]) / f } else { 0.0 };
        let total = core::array::from_fn(|k| -time * (rate[k] + all * IDENTITY[k]));
        let flow = Flow::of(&Strain::new(total, time));
        let (v, f) = (&mut velocities[3 * atoms.start..3 * atoms.end], &forces[3 * atoms.start..3 * atoms.end]);
        let weights = &weights[atoms];
        let whole = weights.len() & !3;
        for a in (0..whole).step_by(4) {
            // There are three velocities and forces for each weight.
            unsafe { flow.kick_four(v.as_mut_ptr().add(3 * a), f.as_ptr().add(3 * a), weights.as_ptr().add(a)) };
        }
        if whole < weights.len() {
            let rest = &mut v[3 * whole..];
            let mut last: [f32; 12] = padded(rest, 0.0);
            let (f, w): ([f32; 12], [f32; 4]) = (padded(&f[3 * whole..], 0.0), padded(&weights[whole..], 0.0));
            unsafe { flow.kick_four(last.as_mut_ptr(), f.as_ptr(), w.as_ptr()) };
            rest.copy_from_slice(&last[..rest.len()]);
        }
    }
}

/// See src/kernels/barostats/strained_drift.ts.
pub fn strained_drift(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let velocities = args.read::<f32>(1);
    let cells = args.change::<f32>(2);
    let dt = args.read::<f32>(3);
    let rates = args.read::<f64>(4);
    let mut low = args.optional::<f32>(5);
    let cell_low = args.change::<f64>(6);
    for (s, atoms) in frame.awake() {
        let time = dt[s] as f64;
        let total = core::array::from_fn(|k| time * rates[9 * s + k]);
        let strain = Strain::new(total, time);
        let cell = exact(cells, cell_low, s);
        let grown = product(&cell, &strain.grow);
        for k in 0..9 {
            let sum = cell[k] + grown[k];
            cells[9 * s + k] = sum as f32;
            cell_low[9 * s + k] = sum - cells[9 * s + k] as f64;
        }
        let range = 3 * atoms.start..3 * atoms.end;
        let low = low.as_mut().map(|low| &mut low[range.clone()]);
        drift(Flow::of(&strain), &mut positions[range.clone()], low, &velocities[range]);
    }
}

fn drift(flow: Flow, x: &mut [f32], mut low: Option<&mut [f32]>, v: &[f32]) {
    let whole = x.len() / 12 * 12;
    for k in (0..whole).step_by(12) {
        let mut none = [0.0; 12];
        // There are as many numbers in each.
        unsafe {
            let low = low.as_mut().map_or(none.as_mut_ptr(), |low| low.as_mut_ptr().add(k));
            flow.drift_four(x.as_mut_ptr().add(k), low, v.as_ptr().add(k));
        }
    }
    if whole == x.len() {
        return;
    }
    let rest = &mut x[whole..];
    let (mut last, v): ([f32; 12], [f32; 12]) = (padded(rest, 0.0), padded(&v[whole..], 0.0));
    let mut last_low: [f32; 12] = low.as_ref().map_or([0.0; 12], |low| padded(&low[whole..], 0.0));
    unsafe { flow.drift_four(last.as_mut_ptr(), last_low.as_mut_ptr(), v.as_ptr()) };
    let count = rest.len();
    rest.copy_from_slice(&last[..count]);
    if let Some(low) = low {
        low[whole..].copy_from_slice(&last_low[..count]);
    }
}

/// See src/kernels/barostats/barostat_chain.ts.
pub fn barostat_chain(args: Args, frame: &mut Frame) {
    let rates = args.change::<f64>(0);
    let parameters = args.read::<f64>(1);
    let freedom = args.read::<i32>(2);
    let eta = args.change::<f64>(3);
    let eta_dot = args.change::<f64>(4);
    let others = args.read::<f64>(5);
    let bath_energy = args.change::<f64>(6);
    let coupling = args.number(7);
    let (length, parts) = (args.number(8) as usize, args.number(9) as usize);
    for (s, _) in frame.awake() {
        let parameters = &parameters[PARAMETERS * s..PARAMETERS * (s + 1)];
        let kt = parameters[KT];
        let rest = kt * parameters[TIME] * parameters[TIME];
        let links = length * s..length * (s + 1);
        let mut chain = Chain {
            eta: &mut eta[links.clone()],
            eta_dot: &mut eta_dot[links],
            kt,
            freedom: coupling,
            first: coupling * rest,
            rest,
        };
        let rate = &mut rates[9 * s..9 * s + 9];
        let square: f64 = rate.iter().map(|rate| rate * rate).sum();
        let twice = inertia_of(parameters, freedom[s] as f64) * square;
        let growth = chain.advance(twice, parameters[DT] / 2.0, parts).exp_m1();
        rate.iter_mut().for_each(|rate| *rate += growth * *rate);
        bath_energy[s] += twice / 2.0 * growth * (2.0 + growth) + chain.energy() + others[s];
    }
}
