//! Sums of pair potentials that are written by hand.

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::{F4, U4};
use crate::pairs::clusters::NOBODY;
use crate::pairs::domains::Domain;
use crate::pairs::list::Copy4;
use crate::pairs::system::{push, sum_systems, switch_off, PairSystem, Switch};
use crate::pairs::vectors::{square, sums, V3, ZERO};

/// How many vectors of parameters a pair of types has: the squared cutoff first.
pub const PARAMETERS: usize = 6;

pub type Parameters = [F4; PARAMETERS];

/// A potential between two atoms.
pub trait Potential {
    /// How many numbers each pair of types has in the table of parameters.
    const WIDTH: usize;
    /// Those numbers as `at` wants them, the squared cutoff first.
    fn parameters(numbers: &[f32]) -> [f32; PARAMETERS];
    /// The first half of the way from squared distances to −(dE/dr)/r: above zero, and zero where `mask` is not set.
    fn begin(square: F4, mask: U4, parameters: &Parameters) -> F4;
    /// The second half: −(dE/dr)/r from what the first one gave, zero where that is.
    fn slope(begun: F4, square: F4, parameters: &Parameters) -> F4;
    /// The energy before the shift is taken off, from what the first half gave, zero where that is.
    fn energy(begun: F4, parameters: &Parameters) -> F4;
    /// What is taken off the energy of each pair.
    fn shift(parameters: &Parameters) -> F4;
}

/// What the rows of one system are summed with.
struct Sum<'a> {
    domain: &'a mut Domain,
    /// The atom of each lane of the domain.
    order: &'a [u32],
    /// One for all pairs, or for each copy and type of the atom that meets it.
    parameters: &'a [F4],
    species: &'a [i32],
    types: usize,
    switch: Switch,
    /// Room for what the pairs of one row have begun with.
    begun: *mut F4,
}

/// Adds forces, energies and virials of a potential.
pub fn sum_pairs<P: Potential>(args: Args, frame: &mut Frame) {
    sum_systems(args, frame, |system| {
        let PairSystem { pairs, domain, species, numbers, switch, wants_energy, scratch, .. } = system;
        let types = (numbers.len() / P::WIDTH).isqrt();
        let parameters = &mut scratch.parameters;
        fill_parameters::<P>(parameters, &pairs.order, domain, numbers, types, species);
        let begun = scratch.begun.as_mut_ptr();
        let order = &pairs.order[domain.lanes()];
        let mut sum = Sum { domain, order, parameters, species, types, switch, begun };
        sum.all::<P>(wants_energy, switch.is_on(), types > 1)
    });
}

/// With one type a single set; else one for each copy and each type that may meet it.
fn fill_parameters<P: Potential>(
    to: &mut Vec<F4>,
    order: &[u32],
    domain: &Domain,
    numbers: &[f32],
    types: usize,
    species: &[i32],
) {
    to.clear();
    let set = |t: usize, u: usize| P::parameters(&numbers[(t * types + u) * P::WIDTH..][..P::WIDTH]);
    if types == 1 {
        return to.extend(set(0, 0).map(F4::splat));
    }
    let ghosts = domain.ghosts.iter().map(|ghost| ghost.cluster as usize);
    for c in (domain.first..domain.last).chain(ghosts).chain([0]) {
        for t in 0..types {
            let lanes = [0, 1, 2, 3].map(|lane| match order[4 * c + lane] {
                NOBODY => set(t, 0),
                atom => set(t, species[atom as usize] as usize),
            });
            to.extend((0..PARAMETERS).map(|k| F4::new(lanes[0][k], lanes[1][k], lanes[2][k], lanes[3][k])));
        }
    }
}

impl Sum<'_> {
    fn all<P: Potential>(&mut self, energy: bool, switched: bool, multi: bool) -> f64 {
        match (energy, switched, multi) {
            (false, false, false) => self.rows::<P, false, false, false>(),
            (false, false, true) => self.rows::<P, false, false, true>(),
            (false, true, false) => self.rows::<P, false, true, false>(),
            (false, true, true) => self.rows::<P, false, true, true>(),
            (true, false, false) => self.rows::<P, true, false, false>(),
            (true, false, true) => self.rows::<P, true, false, true>(),
            (true, true, false) => self.rows::<P, true, true, false>(),
            (true, true, true) => self.rows::<P, true, true, true>(),
        }
    }

    /// Row after row: one atom with all copies that it meets. Forces on it stay in registers meanwhile.
    #[inline(never)]
    fn rows<P: Potential, const E: bool, const S: bool, const M: bool>(&mut self) -> f64 {
        let copies = self.domain.copies.as_mut_ptr();
        let zero = F4::splat(0.0);
        let mut total = 0.0;
        let mut counted = U4::splat(0);
        // hot
        for c in 0..self.domain.clusters() {
            let mut forces = [[zero; 4]; 3];
            for p in 0..4 {
                let row = 4 * c + p;
                let atom = self.order[row];
                if atom == NOBODY {
                    break;
                }
                let from = self.domain.rows.starts[row] as usize;
                let to = self.domain.rows.starts[row + 1] as usize;
                let entries = &self.domain.rows.entries[from..to];
                let own_type = if M { self.species[atom as usize] as usize } else { 0 };
                let (f, energy) = unsafe { self.row::<P, E, S, M>(copies, c, p, entries, own_type, &mut counted) };
                for d in 0..3 {
                    forces[d][p] = f[d];
                }
                if E {
                    let [a, b, c, d] = energy.to_array().map(f64::from);
                    total += (a + b) + (c + d);
                }
            }
            let copy = unsafe { &mut *copies.add(c) };
            for d in 0..3 {
                copy.f[d] = copy.f[d] + sums(forces[d]);
            }
        }
        if E && !M && !S {
            let single: Parameters = core::array::from_fn(|k| self.parameters[k]);
            let shift = f64::from(P::shift(&single).to_array()[0]);
            // A mask that is set is −1.
            let count: i64 = counted.to_array().into_iter().map(|lane| -i64::from(lane as i32)).sum();
            total -= shift * count as f64;
        }
        total
    }

    #[inline(always)]
    unsafe fn row<P: Potential, const E: bool, const S: bool, const M: bool>(
        &self,
        copies: *mut Copy4,
        cluster: usize,
        p: usize,
        entries: &[*mut Copy4],
        own_type: usize,
        counted: &mut U4,
    ) -> (V3, F4) {
        let own = copies.add(cluster);
        let x = (&raw const (*own).x) as *const f32;
        let x: V3 = [0, 1, 2].map(|d| F4::load_splat(x.add(4 * d + p)));
        let mut f: V3 = ZERO;
        let mut energy = F4::splat(0.0);
        let table = self.parameters.as_ptr();
        let single: Parameters = core::array::from_fn(|k| *table.add(k));
        let parameters = |at: *mut Copy4| -> Parameters {
            if M {
                let bytes = (at as usize - copies as usize) * self.types;
                let set = table.byte_add(bytes).add(own_type * PARAMETERS);
                core::array::from_fn(|k| *set.add(k))
            } else {
                single
            }
        };
        if p < 3 {
            // Within the cluster: each pair once.
            let later = LATER[p];
            pair::<P, E, S>(&x, own, later, &parameters(own), self.switch, &mut f, &mut energy);
        }
        if S {
            for &other in entries {
                let parameters = parameters(other);
                pair::<P, E, S>(&x, other, ALL, &parameters, self.switch, &mut f, &mut energy);
            }
            return (f, energy);
        }
        let begun = self.begun;
        for (k, two) in entries.as_chunks::<2>().0.iter().enumerate() {
            for (l, &other) in two.iter().enumerate() {
                let parameters = parameters(other);
                let square = square(&x, &(*other).x);
                let mask = square.below(parameters[0]);
                *begun.add(2 * k + l) = P::begin(square, mask, &parameters);
                if E && !M {
                    *counted = *counted + mask;
                }
            }
        }
        for (k, two) in entries.as_chunks::<2>().0.iter().enumerate() {
            for (l, &other) in two.iter().enumerate() {
                let r = [0, 1, 2].map(|d| x[d] - (*other).x[d]);
                let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
                let slope = P::slope(*begun.add(2 * k + l), square, &parameters(other));
                push(r, slope, &mut f, other);
            }
        }
        if E {
            for (k, &other) in entries.iter().enumerate() {
                let begun = *begun.add(k);
                let parameters = parameters(other);
                energy = energy + P::energy(begun, &parameters);
                if M {
                    let mask = F4::splat(0.0).below(begun);
                    energy = energy - P::shift(&parameters).only(mask);
                }
            }
        }
        (f, energy)
    }
}

const ON: u32 = u32::MAX;
pub const ALL: U4 = U4::new(ON, ON, ON, ON);
/// The lanes after each: within a cluster each pair counts once.
pub const LATER: [U4; 3] = [U4::new(0, ON, ON, ON), U4::new(0, 0, ON, ON), U4::new(0, 0, 0, ON)];

/// One atom, in all lanes of `x`, with the four of a copy.
#[inline(always)]
unsafe fn pair<P: Potential, const E: bool, const S: bool>(
    x: &V3,
    other: *mut Copy4,
    lanes: U4,
    parameters: &Parameters,
    switch: Switch,
    f: &mut V3,
    energy: &mut F4,
) {
    let r = [0, 1, 2].map(|d| x[d] - (*other).x[d]);
    let square = square(x, &(*other).x);
    let mask = square.below(parameters[0]) & lanes;
    let begun = P::begin(square, mask, parameters);
    let mut slope = P::slope(begun, square, parameters);
    if E || S {
        let mut e = P::energy(begun, parameters) - P::shift(parameters).only(mask);
        if S {
            (slope, e) = switch_off(square, mask, slope, e, parameters[0], switch);
        }
        *energy = *energy + e;
    }
    push(r, slope, f, other);
}
