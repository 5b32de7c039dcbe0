//! See src/kernels/edges/edges.ts and src/kernels/edges/triplets.ts.

pub mod list;

use crate::args::Args;
use crate::cells::{add, cell_of, dot, sub, vector, Cell, Vector};
use crate::edges::list::{Edge, EdgeList};
use crate::frame::Frame;
use crate::lanes::F4;
use crate::pairs::clusters::NOBODY;
use crate::pairs::domains::Domain;
use crate::pairs::list::{PairList, SystemPairs};
use crate::pairs::neighbors::{self, unwrap};
use crate::pairs::vectors::square;

/// Whole lattice vectors.
type Whole = [i32; 3];

/// See src/kernels/edges/edges.ts.
pub fn edges(args: Args, frame: &mut Frame) {
    let list = args.object::<EdgeList>(0);
    let positions = args.read::<f32>(1);
    let cell = args.read::<f32>(2);
    let images = args.optional::<i32>(3);
    list.found.clear();
    let PairList { systems, scratch, .. } = list.pairs();
    for (s, atoms) in frame.awake() {
        let pairs = &mut systems[s];
        if pairs.order.is_empty() {
            continue;
        }
        let from = atoms.start;
        let range = 3 * atoms.start..3 * atoms.end;
        let (positions, images) =
            (&positions[range.clone()], images.as_ref().map(|images| &images[range]));
        let plain = neighbors::Now { positions, images, cell: &cell[9 * s..9 * s + 9], pbc: &[] };
        pairs.gather(unwrap(&mut scratch.unwrapped, pairs, &plain), &None);
        let pairs = &*pairs;
        let now = Now { positions, images, cell: cell_of(cell, s) };
        let limit = list.cutoff * list.cutoff;
        let mut meet = |i: usize, j: usize, ghost: Whole| {
            let (a, b) = (pairs.order[i], pairs.order[j]);
            let whole = between(now.offset(pairs, i), now.offset(pairs, j), ghost);
            let way = sub(vector(now.positions, b as usize), vector(now.positions, a as usize));
            let shift = now.shift(whole);
            let way = add(way, shift.map(f64::from));
            if dot(way, way) < limit {
                let edge = Edge { source: a, target: b, system: s as u32, shift };
                list.found.extend(both(edge, list.is_half).map(|edge| edge.after(from)));
            }
        };
        for domain in &pairs.domains {
            domain.each(&pairs.order, list.cutoff as f32, &mut meet);
        }
    }
    list.sort();
    list.pad();
}

/// See src/kernels/edges/triplets.ts.
pub fn triplets(args: Args, _frame: &mut Frame) {
    let list = args.object::<EdgeList>(0);
    let positions = args.read::<f32>(1);
    let limit = list.reach * list.reach;
    let count = list.counts[0] as usize;
    list.short.clear();
    for e in 0..count {
        let (i, j) = (list.index[e] as usize, list.index[list.capacity + e] as usize);
        let way = add(sub(vector(positions, j), vector(positions, i)), vector(&list.shifts, e));
        if dot(way, way) < limit {
            list.short.push(e as u32);
        }
    }
    let index = &list.index;
    let is_one_atom = |a: &u32, b: &u32| index[*a as usize] == index[*b as usize];
    let fans = list.short.chunk_by(is_one_atom);
    let many = fans.clone().map(|fan| fan.len() * (fan.len() - 1) / 2).sum();
    list.counts[1] = many as i32;
    list.grow_triplets(many);
    let is_one_atom = |a: &u32, b: &u32| list.index[*a as usize] == list.index[*b as usize];
    let (firsts, seconds) = list.triplets.split_at_mut(list.triplet_capacity);
    let mut at = 0;
    for fan in list.short.chunk_by(is_one_atom) {
        for (k, &first) in fan.iter().enumerate() {
            for &second in &fan[k + 1..] {
                list.centers[at] = list.index[first as usize];
                firsts[at] = first as i32;
                seconds[at] = second as i32;
                at += 1;
            }
        }
    }
    list.centers[many..].fill(0);
    firsts[many..].fill(count as i32);
    seconds[many..].fill(count as i32);
}

/// A system as it is.
struct Now<'a> {
    positions: &'a [f32],
    images: Option<&'a [i32]>,
    cell: Cell,
}

impl Now<'_> {
    /// What brings the atom of a lane to where the pairs have it, as it is wrapped now.
    fn offset(&self, pairs: &SystemPairs, lane: usize) -> Whole {
        let mut offset = pairs.wholes[lane];
        if let Some(images) = self.images {
            let a = 3 * pairs.order[lane] as usize;
            for (k, n) in offset.iter_mut().enumerate() {
                *n += images[a + k] - pairs.images[a + k];
            }
        }
        offset
    }

    fn shift(&self, whole: Whole) -> [f32; 3] {
        let mut shift: Vector = [0.0; 3];
        for (k, &n) in whole.iter().enumerate().filter(|&(_, &n)| n != 0) {
            for (d, x) in shift.iter_mut().enumerate() {
                *x += f64::from(n) * self.cell[3 * k + d];
            }
        }
        shift.map(|x| x as f32)
    }
}

/// The lattice vectors from one atom to a ghost of another.
fn between(own: Whole, other: Whole, ghost: Whole) -> Whole {
    [0, 1, 2].map(|k| ghost[k] + other[k] - own[k])
}

/// The lower atom first, and unless each pair is wanted once, the other way.
fn both(edge: Edge, is_half: bool) -> impl Iterator<Item = Edge> {
    let back = Edge {
        source: edge.target,
        target: edge.source,
        system: edge.system,
        shift: edge.shift.map(|x| 0.0 - x), // no −0
    };
    let (first, second) = if back.source < edge.source { (back, edge) } else { (edge, back) };
    [Some(first), if is_half { None } else { Some(second) }].into_iter().flatten()
}

impl Edge {
    /// With atoms counted over the batch.
    fn after(self, from: usize) -> Self {
        let from = from as u32;
        Self { source: self.source + from, target: self.target + from, ..self }
    }
}

impl EdgeList {
    /// What was found, by source.
    fn sort(&mut self) {
        self.counts[0] = self.found.len() as i32;
        self.grow();
        let starts = &mut self.starts;
        starts.fill(0);
        for edge in &self.found {
            starts[edge.source as usize + 2] += 1;
        }
        for a in 1..starts.len() {
            starts[a] += starts[a - 1];
        }
        let (sources, targets) = self.index.split_at_mut(self.capacity);
        for edge in &self.found {
            let next = &mut starts[edge.source as usize + 1]; // ends where those of the next atom begin
            let e = *next as usize;
            *next += 1;
            sources[e] = edge.source as i32;
            targets[e] = edge.target as i32;
            self.systems[e] = edge.system as i32;
            self.shifts[3 * e..3 * e + 3].copy_from_slice(&edge.shift);
        }
    }
}

impl Domain {
    /// Meets every pair of lanes that may be within the cutoff, once, with what moves the second. Places must have been
    /// gathered.
    fn each(&self, order: &[u32], cutoff: f32, meet: &mut impl FnMut(usize, usize, Whole)) {
        let from = self.copies.as_ptr();
        let reach = cutoff + 1e-6 * (self.farthest(order) + cutoff); // places are rounded
        let limit = F4::splat(reach * reach);
        for row in 0..4 * self.clusters() {
            let own = 4 * self.first + row;
            if order[own] == NOBODY {
                continue;
            }
            for other in own + 1..4 * (own / 4 + 1) {
                if order[other] != NOBODY {
                    meet(own, other, [0; 3]);
                }
            }
            let x = self.copies[row / 4].x.map(|x| F4::splat(x.to_array()[row % 4]));
            let entries = self.rows.starts[row] as usize..self.rows.starts[row + 1] as usize;
            for &copy in &self.rows.entries[entries] {
                let near = square(&x, unsafe { &(*copy).x }).at_most(limit);
                if !near.any() {
                    continue;
                }
                let copy = unsafe { copy.cast_const().offset_from(from) } as usize;
                let Some((cluster, _)) = self.origin_of(copy) else { continue };
                let ghost = copy.checked_sub(self.clusters());
                let whole = ghost.map_or([0; 3], |ghost| self.ghost_wholes[ghost]);
                for (lane, near) in near.to_array().into_iter().enumerate() {
                    let other = 4 * cluster + lane;
                    if near != 0 && order[other] != NOBODY {
                        meet(own, other, whole);
                    }
                }
            }
        }
    }

    /// How far from the origin any atom is along any direction.
    fn farthest(&self, order: &[u32]) -> f32 {
        let lanes = order[self.lanes()].iter().enumerate().filter(|&(_, &atom)| atom != NOBODY);
        lanes.fold(0.0, |far, (row, _)| {
            let x = self.copies[row / 4].x.map(|x| x.to_array()[row % 4].abs());
            x.into_iter().fold(far, f32::max)
        })
    }
}
