//! The pairs of all systems of a batch: clusters of four atoms, copies of them under lattice vectors, and which atom
//! meets which cluster.

use std::slice::from_raw_parts_mut;

use wasm_bindgen::prelude::*;

use crate::lanes::F4;
use crate::pairs::clusters::Tree;
use crate::pairs::exclusions::Exclusions;
use crate::pairs::vectors::{V3, ZERO};

/// Where lanes without an atom are: further than any pair reaches, and near enough for squares to be finite. All
/// they ever add is zero.
pub const NOWHERE: f32 = 1e12;

/// A cluster, or what a lattice vector makes of one, with the forces on it.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Copy4 {
    pub x: V3,
    pub f: V3,
}

/// A copy that is not a cluster itself.
#[derive(Clone, Copy)]
pub struct Ghost {
    pub cluster: u32,
    /// What is added to its positions.
    pub shift: [f32; 3],
}

/// For each of some things a run of entries.
#[derive(Default)]
pub struct Runs<T> {
    pub starts: Vec<u32>,
    pub entries: Vec<T>,
}

impl<T> Runs<T> {
    pub fn clear(&mut self) {
        self.starts.clear();
        self.entries.clear();
        self.starts.push(0);
    }

    /// The run under way ends.
    pub fn close(&mut self) {
        self.starts.push(self.entries.len() as u32);
    }
}

/// The pairs of one system.
#[derive(Default)]
pub struct SystemPairs {
    /// Where the atoms were when the pairs were found.
    pub reference: Vec<f32>,
    /// Their image counters at that time.
    pub images: Vec<i32>,
    pub cell: [f32; 9],
    /// The cell that clusters and ghosts are shifted by: it may be strained since the pairs were found.
    pub strained: [f32; 9],
    /// How often the pairs were found.
    pub builds: i32,
    /// Loaded from a checkpoint: to be found again from `reference` before anything else.
    pub is_loaded: bool,
    /// The atom of each lane of each cluster.
    pub order: Vec<u32>,
    /// What brings the atoms of each cluster into the cell.
    pub wraps: Vec<V3>,
    /// The whole lattice vectors that these are, of each lane.
    pub wholes: Vec<[i32; 3]>,
    /// All clusters, then all ghosts, then one that is nowhere.
    pub copies: Vec<Copy4>,
    pub ghosts: Vec<Ghost>,
    /// The whole lattice vectors of the shift of each.
    pub ghost_wholes: Vec<[i32; 3]>,
    /// The copies within cutoff + skin of each cluster, each pair once: numbers of `copies`.
    pub outer: Runs<u32>,
    /// The copies within a shorter reach of each atom, what the outer ones were pruned to: where they are in memory,
    /// for `copies` does not move before pairs are found again. An even number for each, maybe with one that is
    /// nowhere.
    pub rows: Runs<*mut Copy4>,
    pub pruning: Pruning,
    /// Number of times that the rows were made.
    pub made: u32,
    /// Excluded pairs in the rows, for each list of exclusions.
    pub exclusions: Vec<Exclusions>,
}

/// When to prune again. Pruned pairs would have added zeros, so no bit of any force depends on it.
#[derive(Default)]
pub struct Pruning {
    /// Where the atoms were, images of `SystemPairs::images`.
    pub places: Vec<f32>,
    /// What the cell was then.
    pub cell: [f32; 9],
    /// How much further than the cutoff the rows reach.
    pub margin: f32,
    /// As long as no atom has gone further from `places`, nothing is to be done.
    pub near: f32,
    /// Steps since.
    pub age: u32,
}

/// What finding pairs uses and leaves behind.
#[derive(Default)]
pub struct Scratch {
    pub tree: Tree,
    pub places: Vec<F4>,
    pub unwrapped: Vec<f32>,
    pub shifts: Vec<[f32; 3]>,
    /// The whole lattice vectors that these are.
    pub wholes: Vec<[i32; 3]>,
    /// Which ghost a cluster is under each of `shifts`.
    pub ghosts: Vec<u32>,
    pub rows: [Vec<*mut Copy4>; 4],
    /// Room for a number per pair of the longest row.
    pub begun: Vec<F4>,
    /// Slopes and energies of the pairs of one row, of potentials that are generated.
    pub values: Vec<F4>,
    /// Parameters of pairs of each copy with each type.
    pub parameters: Vec<F4>,
}

pub struct PairList {
    pub cutoff: f64,
    pub skin: f64,
    pub systems: Vec<SystemPairs>,
    pub scratch: Scratch,
}

impl Copy4 {
    /// A copy without atoms.
    pub const NOWHERE: Self = Self { x: [F4::new(NOWHERE, NOWHERE, NOWHERE, NOWHERE); 3], f: ZERO };
}

impl SystemPairs {
    pub fn clusters(&self) -> usize {
        self.order.len() / 4
    }
}

/// An empty list.
#[wasm_bindgen]
pub fn pairs_new(systems: usize, cutoff: f64, skin: f64) -> usize {
    let systems = (0..systems).map(|_| SystemPairs::default()).collect();
    Box::into_raw(Box::new(PairList { cutoff, skin, systems, scratch: Scratch::default() })) as usize
}

#[wasm_bindgen]
pub fn pairs_free(pairs: usize) {
    drop(unsafe { Box::from_raw(pairs as *mut PairList) });
}

fn list(pairs: usize) -> &'static mut PairList {
    unsafe { &mut *(pairs as *mut PairList) }
}

/// Another system is in this place now: its pairs were never found.
#[wasm_bindgen]
pub fn pairs_forget(pairs: usize, system: usize) {
    list(pairs).systems[system] = SystemPairs::default();
}

/// How many atoms the list has reference positions of.
#[wasm_bindgen]
pub fn pairs_atoms(pairs: usize) -> usize {
    list(pairs).systems.iter().map(|system| system.reference.len() / 3).sum()
}

/// How many bytes the list takes.
#[wasm_bindgen]
pub fn pairs_bytes(pairs: usize) -> usize {
    let each = |s: &SystemPairs| {
        let outer = s.outer.starts.capacity() + s.outer.entries.capacity();
        4 * (s.reference.capacity() + s.images.capacity() + s.order.capacity() + outer)
            + 4 * s.rows.starts.capacity()
            + size_of::<*mut Copy4>() * s.rows.entries.capacity()
            + size_of::<V3>() * s.wraps.capacity()
            + size_of::<Copy4>() * s.copies.capacity()
            + size_of::<Ghost>() * s.ghosts.capacity()
            + size_of::<[i32; 3]>() * (s.wholes.capacity() + s.ghost_wholes.capacity())
            + 4 * s.pruning.places.capacity()
    };
    list(pairs).systems.iter().map(each).sum()
}

/// Copies what a checkpoint keeps.
#[wasm_bindgen]
pub fn pairs_save(pairs: usize, reference: usize, images: usize, cells: usize, builds: usize) {
    let systems = &list(pairs).systems;
    let atoms = pairs_atoms(pairs);
    let (reference, images, cells, builds) = unsafe {
        (
            from_raw_parts_mut(reference as *mut f64, 3 * atoms),
            from_raw_parts_mut(images as *mut i32, 3 * atoms),
            from_raw_parts_mut(cells as *mut f64, 9 * systems.len()),
            from_raw_parts_mut(builds as *mut i32, systems.len()),
        )
    };
    let mut at = 0;
    for (s, system) in systems.iter().enumerate() {
        let end = at + system.reference.len();
        for (to, &from) in reference[at..end].iter_mut().zip(&system.reference) {
            *to = f64::from(from);
        }
        images[at..end].copy_from_slice(&system.images);
        for (to, &from) in cells[9 * s..].iter_mut().zip(&system.cell) {
            *to = f64::from(from);
        }
        builds[s] = system.builds;
        at = end;
    }
}

/// Takes it back. Systems whose pairs were never found have no reference positions.
#[wasm_bindgen]
pub fn pairs_load(
    pairs: usize,
    offsets: usize,
    reference: usize,
    images: usize,
    cells: usize,
    builds: usize,
) {
    let systems = &mut list(pairs).systems;
    let builds = unsafe { from_raw_parts_mut(builds as *mut i32, systems.len()) };
    let offsets = unsafe { from_raw_parts_mut(offsets as *mut i32, systems.len() + 1) };
    let mut at = 0;
    for (s, system) in systems.iter_mut().enumerate() {
        *system = SystemPairs { builds: builds[s], is_loaded: builds[s] > 0, ..Default::default() };
        if builds[s] == 0 {
            continue;
        }
        let length = 3 * (offsets[s + 1] - offsets[s]) as usize;
        let (reference, images, cell) = unsafe {
            (
                from_raw_parts_mut((reference as *mut f64).add(at), length),
                from_raw_parts_mut((images as *mut i32).add(at), length),
                from_raw_parts_mut((cells as *mut f64).add(9 * s), 9),
            )
        };
        system.reference = reference.iter().map(|&x| x as f32).collect();
        system.images = images.to_vec();
        system.cell = core::array::from_fn(|i| cell[i] as f32);
        at += length;
    }
}
