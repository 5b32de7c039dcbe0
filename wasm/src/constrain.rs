//! What holds atoms, centres and bonds. In f64, and rounded once; positions with what rounding took off them.

use core::ops::Range;

use crate::args::Args;
use crate::cells::{cell_of, dot, inverse, row, sub, vector, Cell, Vector};
use crate::frame::{Frame, CAUSE, DIVERGED, HALT};
use crate::measure::twice_kinetic;

/// See src/kernels/remember.ts.
pub fn remember(args: Args, frame: &mut Frame) {
    let source = args.read::<f32>(0);
    let target = args.change::<f32>(1);
    for (_, atoms) in frame.awake() {
        let range = 3 * atoms.start..3 * atoms.end;
        target[range.clone()].copy_from_slice(&source[range]);
    }
}

/// See src/kernels/credit_bath.ts.
pub fn credit_bath(args: Args, frame: &mut Frame) {
    let velocities = args.read::<f32>(0);
    let before = args.read::<f32>(1);
    let weights = args.read::<f32>(2);
    let bath_energy = args.change::<f64>(3);
    for (s, atoms) in frame.awake() {
        let range = 3 * atoms.start..3 * atoms.end;
        let weights = &weights[atoms];
        let taken = twice_kinetic(&before[range.clone()], weights) - twice_kinetic(&velocities[range], weights);
        bath_energy[s] += 0.5 * taken;
    }
}

/// What rounding takes off a sum of float32, as a part of the sum of the sizes of its terms.
const SLACK: f64 = 1.0 / 8_388_608.0;

/// Whether an atom is fixed in a direction.
fn is_held(held: Option<&[i32]>, atom: usize, axis: usize) -> bool {
    held.is_some_and(|held| (held[atom] >> axis) & 1 != 0)
}

/// See src/kernels/hold_centre.ts.
pub fn hold_centre(args: Args, frame: &mut Frame) {
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

/// x += by; what rounding takes off goes into `low`, where there is one.
fn add_to(x: &mut f32, low: Option<&mut f32>, by: f64) {
    let sum = *x as f64 + by + low.as_ref().map_or(0.0, |low| **low as f64);
    *x = sum as f32;
    if let Some(low) = low {
        *low = (sum - *x as f64) as f32;
    }
}

/// Bonds in clusters, and what their atoms are like.
#[derive(Clone, Copy)]
struct Bonded {
    starts: &'static [i32],
    clusters: &'static [i32],
    bonds: &'static [i32],
    weights: &'static [f32],
    held: Option<&'static [i32]>,
}

impl Bonded {
    /// The first three arguments, and two more in a row.
    fn new(args: Args, at: usize) -> Self {
        Self {
            starts: args.read(0),
            clusters: args.read(1),
            bonds: args.read(2),
            weights: args.read(at),
            held: args.optional(at + 1).map(|held| &*held),
        }
    }

    fn clusters_of(&self, s: usize) -> Range<usize> {
        self.starts[s] as usize..self.starts[s + 1] as usize
    }

    fn bonds_of(&self, cluster: usize) -> Range<usize> {
        self.clusters[cluster] as usize..self.clusters[cluster + 1] as usize
    }

    /// The atoms of a bond.
    fn ends(&self, first: usize, bond: usize) -> [usize; 2] {
        [self.bonds[2 * bond], self.bonds[2 * bond + 1]].map(|atom| first + atom as usize)
    }

    /// How easily an atom moves in each direction.
    fn ease(&self, atom: usize) -> Vector {
        let weight = self.weights[atom] as f64;
        [0, 1, 2].map(|axis| if is_held(self.held, atom, axis) { 0.0 } else { weight })
    }
}

/// The cell of a system, for nearest images.
struct Lattice {
    cell: Cell,
    periodic: [bool; 3],
    columns: Option<[Vector; 3]>,
}

impl Lattice {
    fn new(args: Args, at: usize, s: usize) -> Self {
        let (cells, pbc) = (args.optional::<f32>(at), args.optional::<i32>(at + 1));
        let (Some(cells), Some(pbc)) = (cells, pbc) else {
            return Self { cell: [0.0; 9], periodic: [false; 3], columns: None };
        };
        let periodic = [0, 1, 2].map(|k| pbc[3 * s + k] != 0);
        let cell = cell_of(cells, s);
        let columns = if periodic == [false; 3] { None } else { inverse(cell) };
        Self { cell, periodic, columns }
    }

    /// The nearest image of a vector.
    fn nearest(&self, d: Vector) -> Vector {
        let Some(columns) = &self.columns else { return d };
        let mut found = d;
        for k in (0..3).filter(|&k| self.periodic[k]) {
            let n = (dot(d, columns[k]) + 0.5).floor();
            if n != 0.0 {
                found = sub(found, row(&self.cell, k).map(|h| n * h));
            }
        }
        found
    }
}

/// Where an atom is, with what rounding took off.
fn place(positions: &[f32], low: Option<&[f32]>, atom: usize) -> Vector {
    let x = vector(positions, atom);
    low.map_or(x, |low| [0, 1, 2].map(|k| x[k] + low[3 * atom + k] as f64))
}

/// The bonds of a system could not be kept.
fn lose(s: usize, frame: &mut Frame) {
    if frame.control[DIVERGED] == 0 {
        frame.control[DIVERGED] = s as i32 + 1;
        frame.control[CAUSE] = 2;
    }
    frame.control[HALT] = 1;
}

/// See src/kernels/shake.ts.
pub fn shake(args: Args, frame: &mut Frame) {
    let bonded = Bonded::new(args, 5);
    let lengths = args.read::<f64>(3);
    let width = args.number(4) as usize;
    let dt = args.optional::<f32>(12).map(|dt| &*dt);
    let mut drift = Drift {
        x: args.change(7),
        low: args.change(8),
        before: args.read(9),
        low_before: args.read(10),
        v: args.optional(11).filter(|_| dt.is_some()),
        rate: 0.0,
        tolerance: args.number(16),
    };
    let most = args.number(17) as u32;
    for s in 0..frame.systems {
        if !frame.is_active(s) {
            continue;
        }
        let first = frame.atoms(s).start;
        let lattice = Lattice::new(args, 14, s);
        drift.rate = dt.map_or(0.0, |dt| 1.0 / (args.number(13) * dt[s] as f64));
        let clusters = bonded.clusters_of(s);
        let begin = bonded.clusters[clusters.start] as usize;
        for cluster in clusters {
            let is_whole = settle(most, || {
                let mut is_done = true;
                for b in bonded.bonds_of(cluster) {
                    let length = lengths[width * s + b - begin];
                    is_done &= drift.restore(bonded.ends(first, b), length, &bonded, &lattice);
                }
                is_done
            });
            if !is_whole {
                lose(s, frame);
            }
        }
    }
}

/// Does rounds until one has found nothing to do; false where that takes too many.
fn settle(most: u32, mut round: impl FnMut() -> bool) -> bool {
    (0..=most).any(|_| round())
}

/// What a drift has done, and what can be changed of it.
struct Drift {
    x: &'static mut [f32],
    low: &'static mut [f32],
    before: &'static [f32],
    low_before: &'static [f32],
    v: Option<&'static mut [f32]>,
    rate: f64,
    tolerance: f64,
}

impl Drift {
    /// How far an atom has gone.
    fn moved(&self, atom: usize) -> Vector {
        let place_before = place(self.before, Some(self.low_before), atom);
        sub(place(self.x, Some(self.low), atom), place_before)
    }

    /// Moves the atoms of a bond; true where nothing had to be done.
    fn restore(&mut self, [i, j]: [usize; 2], length: f64, bonded: &Bonded, lattice: &Lattice) -> bool {
        let at = |atom| place(self.before, Some(self.low_before), atom);
        let old = lattice.nearest(sub(at(j), at(i)));
        let (a, b) = (self.moved(i), self.moved(j));
        let now: Vector = [0, 1, 2].map(|k| old[k] + (b[k] - a[k]));
        let missing = length * length - dot(now, now);
        if missing.abs() <= 2.0 * self.tolerance * length * length {
            return true;
        }
        let ease = [bonded.ease(i), bonded.ease(j)];
        let slope: f64 = (0..3).map(|k| (ease[0][k] + ease[1][k]) * now[k] * old[k]).sum();
        let g = missing / (2.0 * slope);
        for (atom, ease, sign) in [(i, ease[0], -g), (j, ease[1], g)] {
            for k in 0..3 {
                let (by, n) = (sign * ease[k] * old[k], 3 * atom + k);
                add_to(&mut self.x[n], Some(&mut self.low[n]), by);
                if let Some(v) = &mut self.v {
                    v[n] = (v[n] as f64 + self.rate * by) as f32;
                }
            }
        }
        false
    }
}

/// See src/kernels/rattle.ts.
pub fn rattle(args: Args, frame: &mut Frame) {
    let bonded = Bonded::new(args, 3);
    let v = args.change::<f32>(5);
    let x = args.read::<f32>(6);
    let low = args.optional::<f32>(7).map(|low| &*low);
    let (tolerance, most) = (args.number(10), args.number(11) as u32);
    for s in 0..frame.systems {
        if !frame.is_active(s) {
            continue;
        }
        let first = frame.atoms(s).start;
        let lattice = Lattice::new(args, 8, s);
        for cluster in bonded.clusters_of(s) {
            let bonds = bonded.bonds_of(cluster);
            let square = |atom| dot(vector(v, atom), vector(v, atom));
            let ends = bonds.clone().flat_map(|b| bonded.ends(first, b));
            let fastest = ends.map(square).fold(0.0, f64::max).sqrt();
            let is_whole = settle(most, || {
                let mut is_done = true;
                for b in bonds.clone() {
                    let [i, j] = bonded.ends(first, b);
                    let d = lattice.nearest(sub(place(x, low, j), place(x, low, i)));
                    is_done &= straighten(v, [i, j], d, tolerance * fastest, &bonded);
                }
                is_done
            });
            if !is_whole {
                lose(s, frame);
            }
        }
    }
}

/// Takes off the vectors of two atoms what would change the length of d; true where nothing had to be done.
fn straighten(v: &mut [f32], [i, j]: [usize; 2], d: Vector, slack: f64, bonded: &Bonded) -> bool {
    let change = dot(d, sub(vector(v, j), vector(v, i)));
    if change.abs() <= slack * dot(d, d).sqrt() {
        return true;
    }
    let ease = [bonded.ease(i), bonded.ease(j)];
    let slope: f64 = (0..3).map(|k| (ease[0][k] + ease[1][k]) * d[k] * d[k]).sum();
    if slope == 0.0 {
        return true;
    }
    let g = change / slope;
    for (atom, ease, sign) in [(i, ease[0], g), (j, ease[1], -g)] {
        for k in 0..3 {
            let n = 3 * atom + k;
            v[n] = (v[n] as f64 + sign * ease[k] * d[k]) as f32;
        }
    }
    false
}
