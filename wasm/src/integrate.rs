//! Parts of integrators.

use crate::args::Args;
use crate::frame::Frame;

/// See src/kernels/kick.ts.
pub fn kick(args: Args, frame: &mut Frame) {
    let velocities = args.change::<f32>(0);
    let forces = args.read::<f32>(1);
    let weights = args.read::<f32>(2);
    let dt = args.read::<f32>(3);
    for s in (0..frame.systems).filter(|&s| frame.is_active(s)) {
        let half = 0.5 * dt[s];
        for a in frame.atoms(s) {
            let w = half * weights[a];
            for k in 3 * a..3 * a + 3 {
                velocities[k] += w * forces[k];
            }
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
    for s in (0..frame.systems).filter(|&s| frame.is_active(s)) {
        let (step, half) = (dt[s], 0.5 * dt[s]);
        for a in frame.atoms(s) {
            let w = half * weights[a];
            for k in 3 * a..3 * a + 3 {
                velocities[k] += w * forces[k];
                positions[k] += step * velocities[k];
            }
        }
    }
}
