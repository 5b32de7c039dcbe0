//! A copy of vectors, for what comes later in the step.

use crate::args::Args;
use crate::frame::Frame;

/// See src/kernels/remember.ts.
pub fn remember(args: Args, frame: &mut Frame) {
    let source = args.read::<f32>(0);
    let target = args.change::<f32>(1);
    for (_, atoms) in frame.awake() {
        let range = 3 * atoms.start..3 * atoms.end;
        target[range.clone()].copy_from_slice(&source[range]);
    }
}
