//! Forces, energies and virials back to zero.

use crate::args::Args;
use crate::frame::Frame;

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
