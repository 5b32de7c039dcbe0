//! The pairs of all systems of a batch: clusters of four atoms, copies of them under lattice vectors, and which atom
//! meets which cluster.

use std::mem::swap;
use std::ops::Range;
use std::slice::from_raw_parts_mut;

use wasm_bindgen::prelude::*;

use crate::lanes::F4;
use crate::pairs::clusters::Tree;
use crate::pairs::domains::{count_domains, Domain};
use crate::pairs::team::Team;
use crate::pairs::vectors::{V3, ZERO};

/// Coordinate of lanes without an atom: further than any pair reaches, and near enough for squares to be finite. Such
/// lanes add only zeros.
pub const NOWHERE: f32 = 1e12;

/// A cluster, or what a lattice vector makes of one, with the forces on it.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Copy4 {
    pub x: V3,
    pub f: V3,
}

/// A copy that is not a cluster itself.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Ghost {
    pub cluster: u32,
    /// Vector that is added to the positions of the cluster.
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
    /// Positions of the atoms when the pairs were found.
    pub reference: Vec<f32>,
    /// Their image counters at that time.
    pub images: Vec<i32>,
    pub cell: [f32; 9],
    /// The cell that clusters and ghosts are shifted by: it may be strained since the pairs were found.
    pub strained: [f32; 9],
    /// Number of times that the pairs were found.
    pub builds: i32,
    /// Loaded from a checkpoint: to be found again from `reference` before anything else.
    pub is_loaded: bool,
    /// The atom of each lane of each cluster.
    pub order: Vec<u32>,
    /// Shifts that bring the atoms of each cluster into the cell.
    pub wraps: Vec<V3>,
    /// The whole lattice vectors that these are, of each lane.
    pub wholes: Vec<[i32; 3]>,
    /// Consecutive clusters, with the pairs that begin there.
    pub domains: Vec<Domain>,
    pub pruning: Pruning,
    /// Inputs of the last search before the first search of a call that runs block by block.
    kept: Kept,
}

/// Inputs of a search for pairs.
#[derive(Default)]
struct Kept {
    /// The call in which it was kept; 0 if there is none.
    call: u32,
    reference: Vec<f32>,
    images: Vec<i32>,
    cell: [f32; 9],
    builds: i32,
}

/// When to prune again. Pruned pairs would have added zeros, so no bit of any force depends on it.
#[derive(Default)]
pub struct Pruning {
    /// Positions of the atoms at that time, with the images of `SystemPairs::images`.
    pub places: Vec<f32>,
    /// The cell at that time.
    pub cell: [f32; 9],
    /// Distance in Å by which the rows reach beyond the cutoff.
    pub margin: f32,
    /// As long as no atom has gone further from `places`, nothing is to be done.
    pub near: f32,
    /// Steps since.
    pub age: u32,
}

/// Arrays that the search for pairs uses again.
#[derive(Default)]
pub struct Scratch {
    pub tree: Tree,
    pub places: Vec<F4>,
    /// The places of all clusters.
    pub clusters: Vec<V3>,
    /// Forces on all clusters.
    pub forces: Vec<V3>,
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
    /// The call that runs block by block, and may have to go back to where it began; 0 outside of one.
    pub call: u32,
    /// Number of such calls.
    calls: u32,
    /// The threads that share the work; `None` if there is one thread.
    pub team: Option<Team>,
}

impl PairList {
    /// From now on the first search for the pairs of a system keeps what they were found from before.
    pub fn begin_call(&mut self) {
        self.calls = self.calls.wrapping_add(1).max(1);
        self.call = self.calls;
    }

    pub fn end_call(&mut self) {
        self.call = 0;
    }

    /// The pairs of these systems become what they were when the call began.
    pub fn go_back(&mut self, systems: Range<usize>) {
        for system in &mut self.systems[systems] {
            system.go_back(self.call);
        }
    }
}

impl Copy4 {
    /// A copy without atoms.
    pub const NOWHERE: Self = Self { x: [F4::new(NOWHERE, NOWHERE, NOWHERE, NOWHERE); 3], f: ZERO };
}

impl SystemPairs {
    /// Keeps what pairs were found from, once in each call.
    pub fn keep(&mut self, call: u32) {
        if self.kept.call == call {
            return;
        }
        let kept = &mut self.kept;
        swap(&mut kept.reference, &mut self.reference);
        swap(&mut kept.images, &mut self.images);
        (kept.call, kept.cell, kept.builds) = (call, self.cell, self.builds);
    }

    /// Pairs that were found since are found again from what was kept, as after a restart: the same pairs in the same
    /// order. Others are as they were.
    fn go_back(&mut self, call: u32) {
        let kept = &mut self.kept;
        if kept.call == call {
            swap(&mut kept.reference, &mut self.reference);
            swap(&mut kept.images, &mut self.images);
            (self.cell, self.builds) = (kept.cell, kept.builds);
            kept.call = 0;
            self.order.clear();
        }
        self.is_loaded = self.builds > 0 && self.order.is_empty();
    }

    pub fn clusters(&self) -> usize {
        self.order.len() / 4
    }
}

/// An empty list.
#[wasm_bindgen]
pub fn pairs_new(systems: usize, cutoff: f64, skin: f64) -> usize {
    let systems = (0..systems).map(|_| SystemPairs::default()).collect();
    let scratch = Scratch::default();
    Box::into_raw(Box::new(PairList { cutoff, skin, systems, scratch, call: 0, calls: 0, team: None })) as usize
}

#[wasm_bindgen]
pub fn pairs_free(pairs: usize) {
    drop(unsafe { Box::from_raw(pairs as *mut PairList) });
}

fn list(pairs: usize) -> &'static mut PairList {
    unsafe { &mut *(pairs as *mut PairList) }
}

/// Lets the list share its work with the same list of other threads. `share`: index of a function in the table of
/// functions.
#[wasm_bindgen]
pub fn pairs_join(pairs: usize, team: u32, member: u32, size: u32, share: usize) {
    list(pairs).team = Some(Team::new(team, member, size, share));
}

/// Returns how many threads can share the work on the pairs of a system.
#[wasm_bindgen]
pub fn pairs_domains(atoms: usize) -> usize {
    count_domains(atoms.div_ceil(4))
}

/// Another system is in this place now: its pairs were never found.
#[wasm_bindgen]
pub fn pairs_forget(pairs: usize, system: usize) {
    list(pairs).systems[system] = SystemPairs::default();
}

/// Number of atoms of which the list has reference positions.
#[wasm_bindgen]
pub fn pairs_atoms(pairs: usize) -> usize {
    list(pairs).systems.iter().map(|system| system.reference.len() / 3).sum()
}

/// Size of the list in bytes.
#[wasm_bindgen]
pub fn pairs_bytes(pairs: usize) -> usize {
    let each = |s: &SystemPairs| {
        4 * (s.reference.capacity() + s.images.capacity() + s.order.capacity())
            + size_of::<V3>() * s.wraps.capacity()
            + size_of::<[i32; 3]>() * s.wholes.capacity()
            + 4 * (s.pruning.places.capacity() + s.kept.reference.capacity() + s.kept.images.capacity())
            + s.domains.iter().map(Domain::bytes).sum::<usize>()
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
