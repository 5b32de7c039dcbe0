//! Every kernel by name. The names are those of src/kernels.

use crate::args::Args;
use crate::frame::Frame;
use crate::integrate;

pub type Kernel = fn(Args, &mut Frame);

pub static KERNELS: &[(&str, Kernel)] = &[
    ("kick", integrate::kick),
    ("kick_drift", integrate::kick_drift),
];
