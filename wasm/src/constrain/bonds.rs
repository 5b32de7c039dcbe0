//! What holds bonds. In f64, and rounded once; positions with what rounding took off them.

use core::ops::Range;

use crate::args::Args;
use crate::cells::{cell_of, dot, inverse, put, row, sub, vector, Cell, Vector};
use crate::constrain::{add_to, is_held};
use crate::frame::Frame;

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

/// A bond of a cluster, its atoms counted within the system.
struct Bond {
    ends: [usize; 2],
    along: Vector,
    ease: [Vector; 2],
    /// The square of its length; of the vector, where no length is given.
    square: f64,
}

impl Bond {
    /// Σ (w_i + w_j) d·d′ over the directions.
    fn slope(&self, d: Vector) -> f64 {
        (0..3).map(|k| (self.ease[0][k] + self.ease[1][k]) * self.along[k] * d[k]).sum()
    }

    /// Moves the vectors of its ends against each other.
    fn pull(&self, vectors: &mut [Vector], g: f64) {
        for (end, g) in [(0, -g), (1, g)] {
            let vector = &mut vectors[self.ends[end]];
            for k in 0..3 {
                vector[k] += g * self.ease[end][k] * self.along[k];
            }
        }
    }
}

/// What is known of the bonds of one cluster while they are worked on, and a vector for each atom of its system.
#[derive(Default)]
struct Cluster {
    bonds: Vec<Bond>,
    vectors: Vec<Vector>,
    given: Vec<Vector>,
}

impl Cluster {
    /// Room for a system.
    fn enter(&mut self, atoms: usize) {
        if self.vectors.len() < atoms {
            self.vectors.resize(atoms, [0.0; 3]);
            self.given.resize(atoms, [0.0; 3]);
        }
    }

    /// Begins with other bonds: `along` says from where to where, `of` what the vector of an atom is.
    fn load(
        &mut self,
        bonded: &Bonded,
        bonds: Range<usize>,
        first: usize,
        along: impl Fn(usize, [usize; 2]) -> (Vector, f64),
        of: impl Fn(usize) -> Vector,
    ) {
        self.bonds.clear();
        for b in bonds {
            let ends = bonded.ends(first, b);
            let (along, square) = along(b, ends);
            let ease = ends.map(|atom| bonded.ease(atom));
            for atom in ends {
                self.vectors[atom - first] = of(atom);
                self.given[atom - first] = self.vectors[atom - first];
            }
            self.bonds.push(Bond { ends: ends.map(|atom| atom - first), along, ease, square });
        }
    }

    /// Does rounds until one has found nothing to do; false where that takes too many. `adjust` says whether it had to.
    fn settle(&mut self, most: u32, adjust: impl Fn(&Bond, &mut [Vector]) -> bool) -> bool {
        (0..=most).any(|_| {
            let mut is_done = true;
            for bond in &self.bonds {
                is_done &= !adjust(bond, &mut self.vectors);
            }
            is_done
        })
    }

    /// Hands over by how much the vector of each atom has changed, and what it is, where it has.
    fn changed(&mut self, mut take: impl FnMut(usize, Vector, Vector)) {
        for atom in self.bonds.iter().flat_map(|bond| bond.ends) {
            let (is, was) = (self.vectors[atom], self.given[atom]);
            if is != was {
                take(atom, sub(is, was), is);
                self.given[atom] = is;
            }
        }
    }
}

/// See src/kernels/constrain/shake.ts.
pub fn shake(args: Args, frame: &mut Frame) {
    let bonded = Bonded::new(args, 5);
    let lengths = args.read::<f64>(3);
    let width = args.number(4) as usize;
    let (positions, low) = (args.change::<f32>(7), args.change::<f32>(8));
    let (before, low_before) = (args.read::<f32>(9), args.read::<f32>(10));
    let dt = args.optional::<f32>(12).map(|dt| &*dt);
    let mut velocities = args.optional::<f32>(11).filter(|_| dt.is_some());
    let (tolerance, most) = (args.number(16), args.number(17) as u32);
    let mut cluster = Cluster::default();
    for s in frame.block.clone() {
        let clusters = bonded.clusters_of(s);
        if !frame.is_active(s) || clusters.is_empty() {
            continue;
        }
        let (first, end) = (frame.atoms(s).start, frame.atoms(s).end);
        let lattice = Lattice::new(args, 14, s);
        let rate = dt.map_or(0.0, |dt| 1.0 / (args.number(13) * dt[s] as f64));
        let begin = bonded.clusters[clusters.start] as usize;
        cluster.enter(end - first);
        for c in clusters {
            let at = |atom| place(before, Some(low_before), atom);
            let along = |b: usize, [i, j]: [usize; 2]| {
                let length = lengths[width * s + b - begin];
                (lattice.nearest(sub(at(j), at(i))), length * length)
            };
            let moved = |atom| sub(place(positions, Some(low), atom), at(atom));
            cluster.load(&bonded, bonded.bonds_of(c), first, along, moved);
            let is_whole = cluster.settle(most, |bond, moved| {
                let [i, j] = bond.ends.map(|atom| moved[atom]);
                let now: Vector = [0, 1, 2].map(|k| bond.along[k] + (j[k] - i[k]));
                let missing = bond.square - dot(now, now);
                if missing.abs() <= 2.0 * tolerance * bond.square {
                    return false;
                }
                bond.pull(moved, missing / (2.0 * bond.slope(now)));
                true
            });
            cluster.changed(|atom, by, _| {
                for k in 0..3 {
                    let n = 3 * (first + atom) + k;
                    add_to(&mut positions[n], Some(&mut low[n]), by[k]);
                    if let Some(v) = &mut velocities {
                        v[n] = (v[n] as f64 + rate * by[k]) as f32;
                    }
                }
            });
            if !is_whole {
                frame.report_diverged(s, 2);
            }
        }
    }
}

/// See src/kernels/constrain/rattle.ts.
pub fn rattle(args: Args, frame: &mut Frame) {
    let bonded = Bonded::new(args, 3);
    let vectors = args.change::<f32>(5);
    let positions = args.read::<f32>(6);
    let low = args.optional::<f32>(7).map(|low| &*low);
    let (tolerance, most) = (args.number(10), args.number(11) as u32);
    let mut cluster = Cluster::default();
    for s in frame.block.clone() {
        let clusters = bonded.clusters_of(s);
        if !frame.is_active(s) || clusters.is_empty() {
            continue;
        }
        let (first, end) = (frame.atoms(s).start, frame.atoms(s).end);
        let lattice = Lattice::new(args, 8, s);
        cluster.enter(end - first);
        for c in clusters {
            let along = |_, [i, j]: [usize; 2]| {
                let d = lattice.nearest(sub(place(positions, low, j), place(positions, low, i)));
                (d, dot(d, d))
            };
            cluster.load(&bonded, bonded.bonds_of(c), first, along, |atom| vector(vectors, atom));
            let ends = cluster.bonds.iter().flat_map(|bond| bond.ends);
            let squares = ends.map(|atom| dot(cluster.given[atom], cluster.given[atom]));
            let slack = tolerance * squares.fold(0.0, f64::max).sqrt();
            let is_whole = cluster.settle(most, |bond, v| {
                let [i, j] = bond.ends.map(|atom| v[atom]);
                let change = dot(bond.along, sub(j, i));
                if change * change <= slack * slack * bond.square {
                    return false;
                }
                let slope = bond.slope(bond.along);
                if slope == 0.0 {
                    return false;
                }
                bond.pull(v, -change / slope);
                true
            });
            cluster.changed(|atom, _, is| put(vectors, first + atom, is));
            if !is_whole {
                frame.report_diverged(s, 2);
            }
        }
    }
}
