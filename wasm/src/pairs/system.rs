//! Sums over the pairs of all systems, for any pair potential: see src/kernels/pairs/sum_pairs.ts.

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::{F4, U4};
use crate::pairs::domains::Domain;
use crate::pairs::gather::scatter;
use crate::pairs::list::{Copy4, PairList, Scratch, SystemPairs};
use crate::pairs::neighbors::{unwrap, Now};
use crate::pairs::team::Team;
use crate::pairs::vectors::{V3, ZERO};

/// Width of the range before the cutoff in which a potential is switched off, Å, and its inverse.
#[derive(Clone, Copy)]
pub struct Switch {
    width: F4,
    inverse: F4,
}

impl Switch {
    fn new(width: f32) -> Self {
        Self { width: F4::splat(width), inverse: F4::splat(1.0 / width) }
    }

    pub fn is_on(self) -> bool {
        self.width.to_array()[0] > 0.0
    }
}

/// The pairs of a domain of one system, and what a potential needs to sum over them.
pub struct PairSystem<'a> {
    pub pairs: &'a SystemPairs,
    pub domain: &'a mut Domain,
    /// The rows of its atoms among the species.
    pub species: &'a [i32],
    /// Length of such a row.
    pub stride: usize,
    /// The table of parameters.
    pub numbers: &'a [f32],
    pub switch: Switch,
    pub wants_energy: bool,
    pub scratch: &'a mut Scratch,
}

/// Length of the sums of a domain: the energy and the virial.
pub const SUMS: usize = 10;

const ENERGY: u32 = 1;
const VIRIAL: u32 = 2;

/// Adds the forces, energies and virials of each active system. `sum` adds forces to the copies of a domain and
/// returns the energy.
pub fn sum_systems(args: Args, frame: &mut Frame, mut sum: impl FnMut(PairSystem) -> f64) {
    let list = args.object::<PairList>(0);
    let positions = args.read::<f32>(1);
    let cell = args.read::<f32>(2);
    let images = args.optional::<i32>(3);
    let species = args.optional::<i32>(4);
    let numbers = args.read::<f32>(5);
    let forces = args.change::<f32>(6);
    let energy = args.change::<f64>(7);
    let virial = args.change::<f64>(8);
    let switch = Switch::new(args.number(9) as f32);
    let want = args.number(10) as u32;
    let all = frame.atoms(frame.systems - 1).end;
    let stride = species.as_ref().map_or(0, |species| species.len() / all.max(1));
    for s in frame.block.clone() {
        if !frame.is_active(s) {
            continue;
        }
        let atoms = frame.atoms(s);
        let range = 3 * atoms.start..3 * atoms.end;
        let pairs = &mut list.systems[s];
        if pairs.order.is_empty() {
            continue;
        }
        let now = Now {
            positions: &positions[range.clone()],
            images: images.as_ref().map(|images| &images[range.clone()]),
            cell: &cell[9 * s..9 * s + 9],
            pbc: &[],
        };
        let rows = stride * atoms.start..stride * atoms.end;
        let species = species.as_ref().map_or(&[][..], |species| &species[rows]);
        let scratch = &mut list.scratch;
        let mut unwrapped = core::mem::take(&mut scratch.unwrapped);
        let places = unwrap(&mut unwrapped, pairs, &now);
        let wants_energy = want & ENERGY != 0;
        let team = pairs.team_of(&list.team);
        let mut added = core::mem::take(&mut scratch.forces);
        added.clear();
        let count = pairs.domains.len();
        if count > 1 {
            added.resize(pairs.clusters(), ZERO);
        }
        let mut domains = core::mem::take(&mut pairs.domains);
        for (_, domain) in domains.iter_mut().enumerate().filter(|&(k, _)| Team::owns(team, k)) {
            pairs.gather_domain(domain, places);
            let total = sum(PairSystem {
                pairs,
                domain: &mut *domain,
                species,
                stride,
                numbers,
                switch,
                wants_energy,
                scratch,
            });
            if wants_energy {
                domain.sums[0] = total;
            }
            if want & VIRIAL != 0 {
                let virial = &mut domain.sums[1..];
                virial.fill(0.0);
                add_virial(&domain.copies, virial);
            }
            if team.is_some() {
                domain.collect_forces();
            } else if count > 1 {
                domain.add_forces(domain.copies.iter().map(|copy| &copy.f), &mut added);
            }
        }
        pairs.domains = domains;
        if let Some(team) = team {
            pairs.share_forces(team, &mut added);
        }
        for domain in &pairs.domains {
            if wants_energy {
                energy[s] += domain.sums[0];
            }
            if want & VIRIAL != 0 {
                for (to, sum) in virial[9 * s..9 * s + 9].iter_mut().zip(&domain.sums[1..]) {
                    *to += sum;
                }
            }
        }
        if count > 1 {
            scatter(&pairs.order, added.iter(), &mut forces[range]);
        } else {
            pairs.scatter_domain(&mut forces[range]);
        }
        let scratch = &mut list.scratch;
        scratch.unwrapped = unwrapped;
        scratch.forces = added;
    }
}

/// Adds the forces along r to one atom and takes them off those of a copy.
#[inline(always)]
pub unsafe fn push(r: V3, slope: F4, f: &mut V3, other: *mut Copy4) {
    for d in 0..3 {
        let along = r[d] * slope;
        f[d] = f[d] + along;
        (*other).f[d] = (*other).f[d] - along;
    }
}

/// S = 1 − 10x³ + 15x⁴ − 6x⁵ times the energy, x from 0 to 1 over the last Å before the cutoff.
#[inline(always)]
pub fn switch_off(square: F4, mask: U4, c: F4, e: F4, limit: F4, switch: Switch) -> (F4, F4) {
    let one = F4::splat(1.0);
    let distance = square.sqrt();
    let x = (distance - limit.sqrt() + switch.width) * switch.inverse;
    let x = x.greater(F4::splat(0.0)).lesser(one);
    let s = one - x * x * x * (F4::splat(10.0) + x * (F4::splat(6.0) * x - F4::splat(15.0)));
    let rest = one - x;
    let slope = F4::splat(-30.0) * x * x * rest * rest * switch.inverse;
    let bend = (slope * e / distance).only(mask);
    (s * c - bend, s * e)
}

/// W = Σ f ⊗ r over pairs is Σ F ⊗ x over copies: each pair adds f to one copy and −f to another. Places count from
/// the first atom, so that far from the origin nothing is lost.
fn add_virial(copies: &[Copy4], virial: &mut [f64]) {
    let Some(first) = copies.first() else { return };
    let origin = first.x.map(|x| f64::from(x.to_array()[0]));
    let mut sum = [0.0; 9];
    for copy in copies {
        let f = copy.f.map(|f| f.to_array().map(f64::from));
        let x = copy.x.map(|x| x.to_array().map(f64::from));
        for (k, sum) in sum.iter_mut().enumerate() {
            for lane in 0..4 {
                *sum += f[k / 3][lane] * (x[k % 3][lane] - origin[k % 3]);
            }
        }
    }
    for (to, sum) in virial.iter_mut().zip(sum) {
        *to += sum;
    }
}
