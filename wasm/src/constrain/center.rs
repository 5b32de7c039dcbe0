//! What holds the center of mass. In f64, and rounded once; positions with what rounding took off them.

use crate::args::Args;
use crate::cells::Vector;
use crate::constrain::{add_to, is_held};
use crate::frame::Frame;

/// What rounding takes off a sum of float32, as a part of the sum of the sizes of its terms.
const SLACK: f64 = 1.0 / 8_388_608.0;

/// See src/kernels/constrain/hold_center.ts.
pub fn hold_center(args: Args, frame: &mut Frame) {
    let vectors = args.change::<f32>(0);
    let before = args.optional::<f32>(1).map(|before| &*before);
    let mut low = args.optional::<f32>(2);
    let masses = args.read::<f32>(3);
    let shares = args.optional::<f32>(4).map(|shares| &*shares);
    let share = |atom: usize| shares.map_or(1.0, |shares| shares[atom] as f64);
    let held = args.optional::<i32>(5).map(|held| &*held);
    for (_, atoms) in frame.awake() {
        let (mut mass, mut moment, mut size) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for a in atoms.clone() {
            let m = masses[a] as f64;
            for axis in (0..3).filter(|&axis| !is_held(held, a, axis)) {
                let k = 3 * a + axis;
                let term = m * (vectors[k] as f64 - before.map_or(0.0, |before| before[k] as f64));
                mass[axis] += m * share(a);
                moment[axis] += term;
                size[axis] += term.abs();
            }
        }
        let by: Vector = [0, 1, 2].map(|k| {
            if moment[k].abs() > SLACK * size[k] { -moment[k] / mass[k] } else { 0.0 }
        });
        if by == [0.0; 3] {
            continue;
        }
        for a in atoms {
            for axis in (0..3).filter(|&axis| by[axis] != 0.0 && !is_held(held, a, axis)) {
                let low = low.as_mut().map(|low| &mut low[3 * a + axis]);
                add_to(&mut vectors[3 * a + axis], low, by[axis] * share(a));
            }
        }
    }
}
