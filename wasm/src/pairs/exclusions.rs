//! Pairs that do not interact, or less than others: src/kernels/pairs/exclusions.ts says how they are listed.

use crate::pairs::clusters::NOBODY;
use crate::pairs::domains::Domain;
use crate::pairs::lattice::Lattice;
use crate::pairs::list::{Copy4, Ghost, SystemPairs};

/// The bits of the first word of a row that are the type.
pub const TYPE_BITS: i32 = 0xff_ffff;
const PERIODIC_SHIFT: i32 = 24;

/// A pair of a row: its place among all that are evaluated for it.
pub struct Excluded {
    pub row: u32,
    pub at: u32,
    pub scale: f32,
}

/// Excluded pairs in the rows of a system, for one list of exclusions.
pub struct Exclusions {
    /// Address of the list.
    source: *const i32,
    /// Number of the rows in which they were found.
    made: u32,
    /// Row after row.
    pub pairs: Vec<Excluded>,
}

impl Domain {
    /// Finds out where excluded pairs are, unless that is known, and returns its place among `exclusions`. `rows`: those
    /// of the atoms in the list of exclusions.
    pub fn exclude(&mut self, pairs: &SystemPairs, rows: &[i32], stride: usize) -> usize {
        let source = rows.as_ptr();
        let known = self.exclusions.iter().position(|known| known.source == source);
        let place = known.unwrap_or_else(|| {
            self.exclusions.push(Exclusions { source, made: 0, pairs: Vec::new() });
            self.exclusions.len() - 1
        });
        if self.exclusions[place].made != self.made {
            let mut found = core::mem::take(&mut self.exclusions[place].pairs);
            found.clear();
            self.find_excluded(pairs, rows, stride, &mut found);
            self.exclusions[place] = Exclusions { source, made: self.made, pairs: found };
        }
        place
    }

    fn find_excluded(&self, pairs: &SystemPairs, rows: &[i32], stride: usize, found: &mut Vec<Excluded>) {
        let Some(first) = rows.first() else { return };
        let periodic = [0, 1, 2].map(|k| (first >> (PERIODIC_SHIFT + k)) & 1);
        let lattice = Lattice::new(&pairs.cell, &periodic);
        let copies = self.copies.as_ptr();
        let lanes = pairs.order[self.lanes()].iter().enumerate();
        for (row, &atom) in lanes.filter(|&(_, &atom)| atom != NOBODY) {
            let own = &rows[stride * atom as usize + 1..stride * (atom as usize + 1)];
            if own.first().is_none_or(|&other| other < 0) {
                continue;
            }
            let entries = self.rows.starts[row] as usize..self.rows.starts[row + 1] as usize;
            let own_cluster = unsafe { copies.add(row / 4) };
            let others = self.rows.entries[entries].iter().map(|&at| at as *const Copy4);
            for (k, at) in core::iter::once(own_cluster).chain(others).enumerate() {
                let copy = unsafe { at.offset_from(copies) } as usize;
                let Some((cluster, Ghost { shift, .. })) = self.origin_of(copy) else { continue };
                for lane in 0..4 {
                    let other = pairs.order[4 * cluster + lane];
                    let is_pair = other != NOBODY && (k > 0 || lane > row % 4);
                    let listed = own.as_chunks::<2>().0.iter().find(|[one, _]| *one == other as i32);
                    let (true, Some(&[_, bits])) = (is_pair, listed) else { continue };
                    let lanes = [4 * self.first + row, 4 * cluster + lane];
                    let r = pairs.vector_between(lanes, shift, atom < other);
                    if is_nearest(r, &lattice) {
                        let scale = f32::from_bits(bits as u32);
                        found.push(Excluded { row: row as u32, at: (4 * k + lane) as u32, scale });
                    }
                }
            }
        }
    }
}

impl SystemPairs {
    /// The vector between the atoms of two lanes when the pairs were found: from the later to the earlier one.
    fn vector_between(&self, [a, b]: [usize; 2], shift: [f32; 3], is_forward: bool) -> [f64; 3] {
        [0, 1, 2].map(|d| {
            let place = |lane: usize| {
                let at = self.reference[3 * self.order[lane] as usize + d];
                f64::from(at) + f64::from(self.wraps[lane / 4][d].to_array()[lane % 4])
            };
            let along = place(a) - place(b) - f64::from(shift[d]);
            if is_forward { along } else { -along }
        })
    }
}

fn is_nearest(r: [f64; 3], lattice: &Lattice) -> bool {
    (0..3).all(|k| {
        let along: f64 = (0..3).map(|d| r[d] * lattice.inverse[k][d]).sum();
        !lattice.periodic[k] || (-0.5..0.5).contains(&along)
    })
}
