//! A weighted sum of two arrays.

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::F4;
use crate::numbers::each;

/// See src/kernels/mix.ts.
pub fn mix(args: Args, frame: &mut Frame) {
    let target = args.change::<f32>(0);
    let source = args.read::<f32>(1);
    let keep = args.read::<f32>(2);
    let take = args.read::<f32>(3);
    for (s, range) in frame.awake() {
        let (is_kept, is_taken) = (keep[s] != 0.0, take[s] != 0.0);
        let (keep, take) = (F4::splat(keep[s]), F4::splat(take[s]));
        let (target, source) = (&mut target[range.clone()], &source[range]);
        match (is_kept, is_taken) {
            (true, true) => each([target], [source], |[x], [y]| [keep * x + take * y]),
            (true, false) => each([target], [], |[x], []| [keep * x]),
            (false, true) => each([target], [source], |_, [y]| [take * y]),
            (false, false) => target.fill(0.0),
        }
    }
}
