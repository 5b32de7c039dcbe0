//! Finds which clusters are near each other, and which atoms of a cluster are near another.

use crate::lanes::F4;
use crate::pairs::clusters::{Node, NOBODY};
use crate::pairs::lattice::{Lattice, Row};
use crate::pairs::domains::Domain;
use crate::pairs::list::{Copy4, Ghost, Scratch, SystemPairs, NOWHERE};
use crate::pairs::team::Team;
use crate::pairs::vectors::{square, V3};

/// A cell whose faces are closer to each other than this part of the reach has too many images to look at.
const FLATTEST: f64 = 1.0 / 64.0;

impl SystemPairs {
    /// Sorts the atoms at `reference` into clusters and finds all pairs of these up to `reach`. False where the cell
    /// has collapsed or the pairs are more than memory holds.
    pub fn find(&mut self, scratch: &mut Scratch, team: &Option<Team>, pbc: &[i32], reach: f64) -> bool {
        let lattice = Lattice::new(&self.cell, pbc);
        let is_flat = |k: usize| lattice.periodic[k] && !(lattice.heights[k] >= FLATTEST * reach);
        if (0..3).any(is_flat) {
            return false;
        }
        self.sort(scratch, &lattice);
        let reach = with_margin(reach as f32, scratch);
        list_shifts(scratch, &lattice, reach);
        self.split_domains();
        let order = core::mem::take(&mut self.order);
        let leaves: Vec<Node> =
            scratch.tree.nodes.iter().filter(|n| n.last - n.first == 1).copied().collect();
        let is_well = self.each_domain(team, |domain| domain.search(scratch, &order, &leaves, reach));
        self.order = order;
        if is_well {
            self.share_ghosts(team);
        }
        is_well
    }

    /// Atoms into clusters, in the order of a tree over where they are in the cell.
    fn sort(&mut self, scratch: &mut Scratch, lattice: &Lattice) {
        let Scratch { places, tree, clusters, .. } = scratch;
        places.clear();
        places.extend(self.reference.chunks_exact(3).map(|at| {
            let wrap = wrap(whole_of(at, lattice), lattice);
            F4::new(at[0] + wrap[0], at[1] + wrap[1], at[2] + wrap[2], 0.0)
        }));
        tree.build(places, &mut self.order);
        self.wraps.clear();
        self.wholes.clear();
        clusters.clear();
        for lanes in self.order.chunks_exact(4) {
            let [mut wraps, mut x] = [[[0.0; 4]; 3], [[NOWHERE; 4]; 3]];
            let mut wholes = [[0; 3]; 4];
            for (lane, &atom) in lanes.iter().enumerate().filter(|&(_, &atom)| atom != NOBODY) {
                let at = atom as usize;
                let whole = whole_of(&self.reference[3 * at..3 * at + 3], lattice);
                let wrap = wrap(whole, lattice);
                wholes[lane] = whole.map(|n| n as i32);
                let place = places[at].to_array();
                for d in 0..3 {
                    wraps[d][lane] = wrap[d];
                    x[d][lane] = place[d];
                }
            }
            self.wholes.extend(wholes);
            self.wraps.push(wraps.map(|w| F4::new(w[0], w[1], w[2], w[3])));
            clusters.push(x.map(|x| F4::new(x[0], x[1], x[2], x[3])));
        }
    }
}

impl Domain {

    /// For each cluster all copies that a tree walk finds near it: later clusters, and any under the shifts.
    fn search(&mut self, scratch: &mut Scratch, order: &[u32], leaves: &[Node], reach: f32) -> bool {
        let Scratch { tree, clusters, shifts, wholes, ghosts, .. } = scratch;
        self.copies.clear();
        self.ghosts.clear();
        self.ghost_wholes.clear();
        self.outer.clear();
        let size = clusters.len() * shifts.len();
        ghosts.clear();
        if ghosts.try_reserve(size).is_err() {
            return false;
        }
        ghosts.resize(size, 0);
        let limit = reach * reach;
        let Some(&root) = tree.nodes.first() else { return true };
        for i in self.first..self.last {
            let own = spread(&clusters[i], &order[4 * i..4 * i + 4]);
            for (s, shift) in shifts.iter().enumerate() {
                let by = F4::new(shift[0], shift[1], shift[2], 0.0);
                let (low, high) = (leaves[i].low - by, leaves[i].high - by);
                if distance(low, high, &root) > limit {
                    continue;
                }
                let by = shift.map(F4::splat);
                let after = if s == 0 { i as u32 + 1 } else { 0 };
                let mut n = 0;
                while n < tree.nodes.len() {
                    let node = &tree.nodes[n];
                    if node.last <= after || distance(low, high, node) > limit {
                        n = node.skip as usize;
                        continue;
                    }
                    n += 1;
                    if node.last - node.first > 1 {
                        continue;
                    }
                    let j = node.first as usize;
                    let x = &clusters[j];
                    let x = [x[0] + by[0], x[1] + by[1], x[2] + by[2]];
                    if !is_near(&own, &x, limit) {
                        continue;
                    }
                    let ghost = &mut ghosts[s * clusters.len() + j];
                    let is_own = s == 0 && j < self.last;
                    if !is_own && *ghost == 0 {
                        *ghost = (self.last - self.first + self.ghosts.len()) as u32;
                        self.ghosts.push(Ghost { cluster: j as u32, shift: *shift });
                        self.ghost_wholes.push(wholes[s]);
                    }
                    let copy = if is_own { (j - self.first) as u32 } else { *ghost };
                    let entries = &mut self.outer.entries;
                    if entries.len() == entries.capacity() && entries.try_reserve(64).is_err() {
                        return false;
                    }
                    entries.push(copy);
                }
            }
            self.outer.close();
        }
        self.copies.resize(self.clusters() + self.ghosts.len() + 1, Copy4::NOWHERE);
        true
    }

    /// From the outer pairs those that are within `reach` now: for each atom the copies where any atom is.
    pub fn prune(&mut self, scratch: &mut Scratch, order: &[u32], reach: f32) -> bool {
        let reach = with_margin(reach, scratch);
        let limit = F4::splat(reach * reach);
        self.rows.clear();
        self.made = self.made.wrapping_add(1);
        let copies = self.copies.as_mut_ptr();
        let nowhere = unsafe { copies.add(self.copies.len() - 1) };
        let most = self.outer.starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0) as usize;
        let room = scratch.begun.len().max(most + 2);
        scratch.begun.resize(room, F4::splat(0.0));
        for row in &mut scratch.rows {
            row.resize(most + 2, nowhere);
        }
        let lanes = self.lanes();
        let rows = &mut self.rows.entries;
        for (i, lanes) in order[lanes].chunks_exact(4).enumerate() {
            let own = spread(&self.copies[i].x, lanes);
            let range = self.outer.starts[i] as usize..self.outer.starts[i + 1] as usize;
            let mut counts = [0; 4];
            for &at in &self.outer.entries[range] {
                let at = unsafe { copies.add(at as usize) };
                let x = unsafe { &(*at).x };
                for p in 0..4 {
                    let is_near = square(&own[p], x).at_most(limit).any();
                    unsafe { *scratch.rows[p].get_unchecked_mut(counts[p]) = at };
                    counts[p] += usize::from(is_near);
                }
            }
            if rows.try_reserve(counts.iter().sum::<usize>() + 4).is_err() {
                return false;
            }
            for p in 0..4 {
                scratch.rows[p][counts[p]] = nowhere;
                let count = if lanes[p] == NOBODY { 0 } else { counts[p].next_multiple_of(2) };
                rows.extend_from_slice(&scratch.rows[p][..count]);
                self.rows.starts.push(rows.len() as u32);
            }
        }
        true
    }
}

/// The whole lattice vectors that bring a place into the cell.
fn whole_of(at: &[f32], lattice: &Lattice) -> Row {
    lattice.wrap([f64::from(at[0]), f64::from(at[1]), f64::from(at[2])])
}

/// What these are.
fn wrap(whole: Row, lattice: &Lattice) -> [f32; 3] {
    lattice.vector(whole).map(|x| x as f32)
}

/// A reach that rounding of coordinates cannot make too short.
fn with_margin(reach: f32, scratch: &Scratch) -> f32 {
    let Some(root) = scratch.tree.nodes.first() else { return reach };
    let far = [root.low, root.high].into_iter().flat_map(F4::to_array).fold(0.0, |a, x| x.abs().max(a));
    reach + (1e-6 * (far + reach)).min(0.1)
}

/// The lattice vectors under which some of the system is within reach of some of it: first none, then one of each
/// two that are opposite.
fn list_shifts(scratch: &mut Scratch, lattice: &Lattice, reach: f32) {
    let Scratch { shifts, wholes, tree, .. } = scratch;
    shifts.clear();
    shifts.push([0.0; 3]);
    wholes.clear();
    wholes.push([0; 3]);
    let Some(root) = tree.nodes.first() else { return };
    let most = [0, 1, 2].map(|k| {
        if lattice.periodic[k] { (1.0 + f64::from(reach) / lattice.heights[k]) as i32 } else { 0 }
    });
    for a in 0..=most[0] {
        for b in -most[1]..=most[1] {
            for c in -most[2]..=most[2] {
                if (a, b, c) <= (0, 0, 0) {
                    continue;
                }
                let shift = lattice.vector([a.into(), b.into(), c.into()]).map(|x| x as f32);
                let by = F4::new(shift[0], shift[1], shift[2], 0.0);
                if distance(root.low - by, root.high - by, root) <= reach * reach {
                    shifts.push(shift);
                    wholes.push([a, b, c]);
                }
            }
        }
    }
}

/// Each atom of a cluster in all four lanes; where there is none, the first again.
fn spread(x: &V3, lanes: &[u32]) -> [V3; 4] {
    let x = x.map(F4::to_array);
    core::array::from_fn(|p| {
        let lane = if lanes[p] == NOBODY { 0 } else { p };
        [0, 1, 2].map(|d| F4::splat(x[d][lane]))
    })
}

/// Whether any atom of the one is within reach of any of the other.
#[inline(always)]
fn is_near(own: &[V3; 4], x: &V3, limit: f32) -> bool {
    let squares = [0, 1, 2, 3].map(|p| square(&own[p], x));
    squares[0].lesser(squares[1]).lesser(squares[2].lesser(squares[3])).at_most(F4::splat(limit)).any()
}

/// The square of the distance between two boxes.
#[inline(always)]
fn distance(low: F4, high: F4, node: &Node) -> f32 {
    let gap = (node.low - high).greater(low - node.high).greater(F4::splat(0.0));
    let [x, y, z, _] = (gap * gap).to_array();
    x + y + z
}
