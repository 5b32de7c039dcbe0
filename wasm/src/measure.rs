//! What is measured of each system, at rest or not: a measure is no state.

use crate::args::Args;
use crate::cells::{cell_of, signed_volume};
use crate::constants::BOLTZMANN;
use crate::frame::Frame;
use crate::lanes::{D2, F4};
use crate::xyz::{padded, Xyz};

/// See src/kernels/measure/fmax.ts.
pub fn fmax(args: Args, frame: &mut Frame) {
    let forces = args.read::<f32>(0);
    let fmax = args.change::<f64>(1);
    let cells = args.optional::<f32>(2);
    let stage = args.optional::<i32>(3);
    let drives = args.optional::<i32>(4);
    for (s, atoms) in frame.all() {
        let is_driven = match (&stage, &drives) {
            (Some(stage), Some(drives)) => drives[(stage[s] as usize).min(drives.len() - 1)] != 0,
            _ => true,
        };
        let mut square = largest_square_f64(&forces[3 * atoms.start..3 * atoms.end]);
        if let (Some(cells), true) = (&cells, is_driven) {
            let of_cell: f64 = cells[9 * s..9 * s + 9].iter().map(|&x| x as f64 * x as f64).sum();
            // What is no number stays so.
            square = if of_cell > square || of_cell.is_nan() { of_cell } else { square };
        }
        fmax[s] = square.sqrt();
    }
}

/// NaN if there is any. Squares beyond f32 are computed again.
pub fn largest_square_f64(vectors: &[f32]) -> f64 {
    let square = largest_square(vectors) as f64;
    if square < f64::INFINITY { square } else { squares_f64(vectors, square) }
}

#[cold]
fn squares_f64(vectors: &[f32], square: f64) -> f64 {
    if square.is_nan() {
        return square;
    }
    let square = |v: &[f32]| v.iter().map(|&x| x as f64 * x as f64).sum();
    vectors.chunks_exact(3).map(square).fold(0.0, f64::max)
}

/// NaN if there is any.
fn largest_square(vectors: &[f32]) -> f32 {
    let fours = vectors.chunks_exact(12);
    let rest: [f32; 12] = padded(fours.remainder(), 0.0);
    let square = |four: &[f32]| unsafe { Xyz::load(four.as_ptr()) }.square();
    let largest = fours.fold(square(&rest), |largest, four| largest.max(square(four)));
    let across = largest.max(largest.shuffle::<2, 3, 0, 1>(largest));
    across.max(across.shuffle::<1, 0, 3, 2>(across)).to_array()[0]
}

/// See src/kernels/measure/kinetic_energy.ts.
pub fn kinetic_energy(args: Args, frame: &mut Frame) {
    let velocities = args.read::<f32>(0);
    let weights = args.read::<f32>(1);
    let kinetic = args.change::<f64>(2);
    for (s, atoms) in frame.all() {
        let v = &velocities[3 * atoms.start..3 * atoms.end];
        kinetic[s] = 0.5 * twice_kinetic(v, &weights[atoms]);
    }
}

/// Σ v²/w, in f64 and always in the same order.
pub fn twice_kinetic(v: &[f32], weights: &[f32]) -> f64 {
    let whole = weights.len() & !3;
    let mut sums = [D2::splat(0.0); 2];
    for a in (0..whole).step_by(4) {
        // There are three velocities for each weight.
        unsafe { add_four(&mut sums, v.as_ptr().add(3 * a), weights.as_ptr().add(a)) };
    }
    if whole < weights.len() {
        let (v, w): ([f32; 12], [f32; 4]) = (padded(&v[3 * whole..], 0.0), padded(&weights[whole..], 0.0));
        unsafe { add_four(&mut sums, v.as_ptr(), w.as_ptr()) };
    }
    (sums[0] + sums[1]).sum()
}

/// # Safety
/// There are twelve velocities and four weights.
#[inline(always)]
unsafe fn add_four(sums: &mut [D2; 2], v: *const f32, weights: *const f32) {
    let (v, w) = unsafe { (Xyz::load(v), F4::load(weights)) };
    // Where the weight is 0 there is no kinetic energy: v²/∞.
    let w = w.same(F4::splat(0.0)).choose(F4::splat(f32::INFINITY), w);
    let (first, last) = v.square_f64();
    sums[0] = sums[0] + first / w.low();
    sums[1] = sums[1] + last / w.high();
}

/// See src/kernels/measure/temperature.ts.
pub fn temperature(args: Args, frame: &mut Frame) {
    let kinetic = args.read::<f64>(0);
    let freedom = args.read::<i32>(1);
    let resting = args.optional::<i32>(2);
    let stage = args.optional::<i32>(3);
    let keeps = args.optional::<i32>(4);
    let temperature = args.change::<f64>(5);
    for (s, _) in frame.all() {
        let degrees = match (&resting, &stage, &keeps) {
            (Some(resting), Some(stage), Some(keeps))
                if keeps[(stage[s] as usize).min(keeps.len() - 1)] != 0 =>
            {
                resting[s]
            }
            _ => freedom[s],
        } as f64;
        temperature[s] = if degrees > 0.0 { 2.0 * kinetic[s] / (degrees * BOLTZMANN) } else { 0.0 };
    }
}

/// See src/kernels/measure/energy_change.ts.
pub fn energy_change(args: Args, frame: &mut Frame) {
    let energy = args.read::<f64>(0);
    let previous = args.change::<f64>(1);
    let change = args.change::<f64>(2);
    for (s, _) in frame.awake() {
        change[s] = if previous[s].is_nan() { f64::INFINITY } else { energy[s] - previous[s] };
        previous[s] = energy[s];
    }
}

/// See src/kernels/measure/conserved_energy.ts.
pub fn conserved_energy(args: Args, frame: &mut Frame) {
    let energy = args.read::<f64>(0);
    let kinetic = args.read::<f64>(1);
    let bath_energy = args.read::<f64>(2);
    let conserved = args.change::<f64>(3);
    for (s, _) in frame.all() {
        conserved[s] = energy[s] + kinetic[s] + bath_energy[s];
    }
}

/// See src/kernels/measure/stress.ts.
pub fn stress(args: Args, frame: &mut Frame) {
    let virial = args.read::<f64>(0);
    let cells = args.read::<f32>(1);
    let stress = args.change::<f64>(2);
    for (s, _) in frame.all() {
        let volume = signed_volume(&cell_of(cells, s)).abs();
        for k in 9 * s..9 * s + 9 {
            stress[k] = if volume == 0.0 { 0.0 } else { -virial[k] / volume };
        }
    }
}
