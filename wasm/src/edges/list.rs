//! Edges and triplets of edges of a batch, for graphs of atoms: src/kernels/edges/edge_list.ts has the same.

use wasm_bindgen::prelude::*;

use crate::pairs::list::PairList;

/// A shift that puts an edge beyond every cutoff: what a list is padded with adds exactly nothing.
const FAR: f32 = 100.0;

/// Lists have room for a multiple of so many, so that shapes repeat.
const GRAIN: usize = 256;

/// An edge as it is found.
#[derive(Clone, Copy)]
pub struct Edge {
    pub source: u32,
    pub target: u32,
    pub system: u32,
    pub shift: [f32; 3],
}

pub struct EdgeList {
    pairs: *mut PairList,
    pub cutoff: f64,
    pub is_half: bool,
    pub reach: f64,
    pub capacity: usize,
    pub triplet_capacity: usize,
    /// Sources, then targets.
    pub index: Vec<i32>,
    pub shifts: Vec<f32>,
    pub systems: Vec<i32>,
    pub centers: Vec<i32>,
    /// First edges, then second edges.
    pub triplets: Vec<i32>,
    pub counts: [i32; 2],
    /// Where the edges of each atom begin, then their end, then a number of no meaning.
    pub starts: Vec<u32>,
    /// Edges in the order in which the pairs have them.
    pub found: Vec<Edge>,
    /// Edges that are short enough for triplets, in order.
    pub short: Vec<u32>,
}

impl EdgeList {
    /// The pairs, which JavaScript keeps for longer than their edges.
    pub fn pairs(&self) -> &'static mut PairList {
        unsafe { &mut *self.pairs }
    }

    /// Makes room for the edges found and one more. What was listed is lost.
    pub fn grow(&mut self) {
        if self.found.len() < self.capacity {
            return;
        }
        self.capacity = room_for(self.found.len());
        self.index = vec![0; 2 * self.capacity];
        self.shifts = vec![0.0; 3 * self.capacity];
        self.systems = vec![0; self.capacity];
    }

    /// The same for so many triplets.
    pub fn grow_triplets(&mut self, count: usize) {
        if count < self.triplet_capacity {
            return;
        }
        self.triplet_capacity = room_for(count);
        self.centers = vec![0; self.triplet_capacity];
        self.triplets = vec![0; 2 * self.triplet_capacity];
    }

    /// Edges of atom 0 with itself, too far away to be seen, in what is left of the capacity.
    pub fn pad(&mut self) {
        let count = self.counts[0] as usize;
        let (sources, targets) = self.index.split_at_mut(self.capacity);
        sources[count..].fill(0);
        targets[count..].fill(0);
        self.systems[count..].fill(0);
        for shift in self.shifts[3 * count..].as_chunks_mut::<3>().0 {
            *shift = [FAR, 0.0, 0.0];
        }
    }
}

/// Room for so many and at least one more, with some to spare.
fn room_for(count: usize) -> usize {
    (count + count * 3 / 20 + 1).next_multiple_of(GRAIN)
}

/// An empty list of edges of these pairs.
#[wasm_bindgen]
pub fn edges_new(pairs: usize, atoms: usize, cutoff: f64, is_half: bool, reach: f64) -> usize {
    let mut list = EdgeList {
        pairs: pairs as *mut PairList,
        cutoff,
        is_half,
        reach,
        capacity: 0,
        triplet_capacity: 0,
        index: Vec::new(),
        shifts: Vec::new(),
        systems: Vec::new(),
        centers: Vec::new(),
        triplets: Vec::new(),
        counts: [0; 2],
        starts: vec![0; atoms + 2],
        found: Vec::new(),
        short: Vec::new(),
    };
    list.grow();
    if reach > 0.0 {
        list.grow_triplets(0);
    }
    list.pad();
    Box::into_raw(Box::new(list)) as usize
}

#[wasm_bindgen]
pub fn edges_free(edges: usize) {
    drop(unsafe { Box::from_raw(edges as *mut EdgeList) });
}

/// How many edges there is room for, or with `triplets` how many triplets.
#[wasm_bindgen]
pub fn edges_room(edges: usize, triplets: bool) -> usize {
    let list = unsafe { &*(edges as *const EdgeList) };
    if triplets { list.triplet_capacity } else { list.capacity }
}

/// Where index, shifts, systems, centers, triplets and counts are.
#[wasm_bindgen]
pub fn edges_place(edges: usize, which: usize) -> usize {
    let list = unsafe { &*(edges as *const EdgeList) };
    match which {
        0 => list.index.as_ptr() as usize,
        1 => list.shifts.as_ptr() as usize,
        2 => list.systems.as_ptr() as usize,
        3 => list.centers.as_ptr() as usize,
        4 => list.triplets.as_ptr() as usize,
        _ => list.counts.as_ptr() as usize,
    }
}
