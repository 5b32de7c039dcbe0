//! See src/kernels/add_model.ts.

use core::ops::Range;

use crate::args::Args;
use crate::cells::{cell_of, signed_volume};
use crate::frame::Frame;

/// See src/kernels/add_model.ts.
pub fn add_model(args: Args, frame: &mut Frame) {
    for s in frame.block.clone() {
        if !frame.is_active(s) {
            continue;
        }
        let atoms = frame.atoms(s);
        let is_well = [add_energy(args, s, &atoms), add_forces(args, &atoms), add_stress(args, s)];
        if is_well != [true; 3] {
            frame.report_diverged(s, 1);
        }
    }
}

// Each answers whether all that was added is finite.

fn add_energy(args: Args, s: usize, atoms: &Range<usize>) -> bool {
    let Some(energies) = args.optional::<f32>(0) else { return true };
    let sum = if args.number(8) == 0.0 {
        f64::from(energies[s])
    } else {
        energies[atoms.clone()].iter().map(|&e| f64::from(e)).sum()
    };
    let constant = args.optional::<f64>(3).map_or(0.0, |constants| constants[s]);
    let term = args.number(9) * sum + constant;
    args.change::<f64>(6)[s] += term;
    term.is_finite()
}

fn add_forces(args: Args, atoms: &Range<usize>) -> bool {
    let Some(given) = args.optional::<f32>(1) else { return true };
    let unit = args.number(10) as f32;
    let range = 3 * atoms.start..3 * atoms.end;
    let mut is_well = true;
    for (force, &term) in args.change::<f32>(5)[range.clone()].iter_mut().zip(&given[range]) {
        let term = unit * term;
        *force += term;
        is_well &= term.is_finite();
    }
    is_well
}

fn add_stress(args: Args, s: usize) -> bool {
    let volume = signed_volume(&cell_of(args.read(4), s)).abs();
    let Some(stresses) = args.optional::<f32>(2) else { return true };
    if volume == 0.0 {
        return true;
    }
    let unit = -volume * args.number(11);
    let range = 9 * s..9 * s + 9;
    let mut is_well = true;
    for (virial, &stress) in args.change::<f64>(7)[range.clone()].iter_mut().zip(&stresses[range]) {
        let term = unit * f64::from(stress);
        *virial += term;
        is_well &= term.is_finite();
    }
    is_well
}
