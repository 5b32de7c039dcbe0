//! Every kernel by name. The names are those of src/kernels.

use crate::args::Args;
use crate::frame::Frame;
use crate::{converge, fire, integrate, lennard_jones, measure, morse, neighbours, thermostat};

pub type Kernel = fn(Args, &mut Frame);

pub static KERNELS: &[(&str, Kernel)] = &[
    ("advance", integrate::advance),
    ("clear", integrate::clear),
    ("criterion", converge::criterion),
    ("drift", integrate::drift),
    ("energy_change", measure::energy_change),
    ("fire2_step", fire::fire2_step),
    ("fire_step", fire::fire_step),
    ("fmax", measure::fmax),
    ("graduate", converge::graduate),
    ("kick", integrate::kick),
    ("kick_drift", integrate::kick_drift),
    ("kinetic_energy", measure::kinetic_energy),
    ("lennard_jones", lennard_jones::lennard_jones),
    ("morse", morse::morse),
    ("neighbours", neighbours::neighbours),
    ("temperature", measure::temperature),
    ("thermalize", thermostat::thermalize),
];
