//! Atoms in clusters of four neighbors, and a tree of boxes around them.

use crate::lanes::F4;

/// What stands in the order of atoms where a cluster has less than four.
pub const NOBODY: u32 = u32::MAX;

/// A box around some clusters, and what to look at after it.
#[derive(Clone, Copy)]
pub struct Node {
    pub low: F4,
    pub high: F4,
    /// The clusters within: the first, and the one after the last.
    pub first: u32,
    pub last: u32,
    /// The node after all that is within this one.
    pub skip: u32,
}

/// A tree over clusters, depth first; clusters are in the order of its leaves.
#[derive(Default)]
pub struct Tree {
    pub nodes: Vec<Node>,
    /// Sortable bits of a coordinate above, the atom below.
    keys: Vec<u64>,
}

impl Tree {
    /// Sorts atoms into clusters: halves of halves, each across the longest edge of what it holds, until four are
    /// left. That makes compact clusters of any arrangement: a crystal, a liquid, a molecule far from all others.
    pub fn build(&mut self, places: &[F4], order: &mut Vec<u32>) {
        self.nodes.clear();
        self.keys.clear();
        self.keys.extend(0..places.len() as u64);
        let mut keys = core::mem::take(&mut self.keys);
        self.split(places, &mut keys, 0);
        order.clear();
        order.extend(keys.iter().map(|&key| key as u32));
        order.resize(order.len().next_multiple_of(4), NOBODY);
        self.keys = keys;
    }

    fn split(&mut self, places: &[F4], keys: &mut [u64], first: u32) {
        let (low, high) = bounds(places, keys);
        let clusters = keys.len().div_ceil(4);
        let node = self.nodes.len();
        self.nodes.push(Node { low, high, first, last: first + clusters as u32, skip: 0 });
        if clusters > 1 {
            let at = clusters / 2 * 4;
            let d = longest(low, high);
            for key in keys.iter_mut() {
                let atom = *key as u32;
                *key = u64::from(sortable(places[atom as usize].to_array()[d])) << 32 | u64::from(atom);
            }
            keys.select_nth_unstable(at);
            let (before, after) = keys.split_at_mut(at);
            self.split(places, before, first);
            self.split(places, after, first + clusters as u32 / 2);
        }
        self.nodes[node].skip = self.nodes.len() as u32;
    }
}

fn bounds(places: &[F4], keys: &[u64]) -> (F4, F4) {
    let mut low = F4::splat(f32::INFINITY);
    let mut high = F4::splat(f32::NEG_INFINITY);
    for &key in keys {
        let place = places[key as u32 as usize];
        low = low.lesser(place);
        high = high.greater(place);
    }
    (low, high)
}

fn longest(low: F4, high: F4) -> usize {
    let size = (high - low).to_array();
    (1..3).fold(0, |a, b| if size[b] > size[a] { b } else { a })
}

/// Bits in the order of the numbers.
fn sortable(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}
