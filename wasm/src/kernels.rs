//! Every kernel by name. The names are those of src/kernels.

use crate::args::Args;
use crate::frame::Frame;
use crate::{
    barostat, bonded, converge, edges, fire, gradients, integrate, lennard_jones, measure, model, modify, morse,
    neighbours, optimizers, thermostat,
};

pub type Kernel = fn(Args, &mut Frame);

pub static KERNELS: &[(&str, Kernel)] = &[
    ("adam_step", optimizers::adam_step),
    ("add_model", model::add_model),
    ("advance", integrate::advance),
    ("align_cells", modify::align_cells),
    ("barostat_chain", barostat::barostat_chain),
    ("barostat_kick", barostat::barostat_kick),
    ("centre_bias", bonded::centre_bias),
    ("clamp_forces", modify::clamp_forces),
    ("clear", integrate::clear),
    ("clip_norm", gradients::clip_norm),
    ("clip_values", gradients::clip_values),
    ("conserved_energy", measure::conserved_energy),
    ("count_stage", converge::count_stage),
    ("criterion", converge::criterion),
    ("drift", integrate::drift),
    ("edges", edges::edges),
    ("energy_change", measure::energy_change),
    ("enter_stage", converge::enter_stage),
    ("fire2_step", fire::fire2_step),
    ("fire_step", fire::fire_step),
    ("fmax", measure::fmax),
    ("freeze_atoms", modify::freeze_atoms),
    ("graduate", converge::graduate),
    ("harmonic_bonds", bonded::harmonic_bonds),
    ("kick", integrate::kick),
    ("kick_drift", integrate::kick_drift),
    ("kinetic_energy", measure::kinetic_energy),
    ("lennard_jones", lennard_jones::lennard_jones),
    ("mix", gradients::mix),
    ("morse", morse::morse),
    ("neighbours", neighbours::neighbours),
    ("nose_hoover", thermostat::nose_hoover),
    ("scale_by_adam", optimizers::scale_by_adam),
    ("scale_by_lion", optimizers::scale_by_lion),
    ("scale_by_momentum", optimizers::scale_by_momentum),
    ("spend_budget", converge::spend_budget),
    ("strained_drift", barostat::strained_drift),
    ("strained_kick", barostat::strained_kick),
    ("stress", measure::stress),
    ("sum_squares", gradients::sum_squares),
    ("temperature", measure::temperature),
    ("tethers", bonded::tethers),
    ("thermalize", thermostat::thermalize),
    ("triplets", edges::triplets),
    ("velocity_rescale", thermostat::velocity_rescale),
    ("wrap_positions", modify::wrap_positions),
];
