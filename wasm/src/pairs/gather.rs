//! Positions from the order of the user into clusters, forces back.

use crate::lanes::F4;
use crate::pairs::clusters::NOBODY;
use crate::pairs::list::{Copy4, SystemPairs};
use crate::pairs::vectors::{V3, ZERO};

impl SystemPairs {
    /// Brings positions into the clusters and their ghosts, and sets all forces there to zero.
    pub fn gather(&mut self, places: &[f32]) {
        assert!(places.len().div_ceil(12) == self.clusters());
        for (c, lanes) in self.order.as_chunks::<4>().0.iter().enumerate() {
            let copy = &mut self.copies[c];
            copy.f = ZERO;
            if lanes[3] == NOBODY {
                gather_some(copy, lanes, places, &self.wraps[c]);
                continue;
            }
            let atoms = lanes.map(|atom| unsafe { F4::load3(places.as_ptr().add(3 * atom as usize)) });
            let [x, y, z, _] = F4::transpose(atoms);
            let wrap = &self.wraps[c];
            copy.x = [x + wrap[0], y + wrap[1], z + wrap[2]];
        }
        let (clusters, ghosts) = self.copies.split_at_mut(self.order.len() / 4);
        for (copy, ghost) in ghosts.iter_mut().zip(&self.ghosts) {
            let x = &clusters[ghost.cluster as usize].x;
            let shift = ghost.shift.map(F4::splat);
            *copy = Copy4 { x: [x[0] + shift[0], x[1] + shift[1], x[2] + shift[2]], f: ZERO };
        }
    }

    /// Adds the forces on ghosts to those on their clusters, and these to the atoms'.
    pub fn scatter(&mut self, forces: &mut [f32]) {
        assert!(forces.len().div_ceil(12) == self.clusters());
        let (clusters, ghosts) = self.copies.split_at_mut(self.order.len() / 4);
        for (copy, ghost) in ghosts.iter().zip(&self.ghosts) {
            let f = &mut clusters[ghost.cluster as usize].f;
            *f = [f[0] + copy.f[0], f[1] + copy.f[1], f[2] + copy.f[2]];
        }
        for (copy, lanes) in clusters.iter().zip(self.order.as_chunks::<4>().0) {
            let [x, y, z] = copy.f;
            let by_atom = F4::transpose([x, y, z, F4::splat(0.0)]);
            for (&atom, force) in lanes.iter().zip(by_atom) {
                if atom != NOBODY {
                    unsafe {
                        let to = forces.as_mut_ptr().add(3 * atom as usize);
                        (F4::load3(to) + force).store3(to);
                    }
                }
            }
        }
    }
}

/// A cluster of less than four atoms; what stands in its other lanes stays.
fn gather_some(copy: &mut Copy4, lanes: &[u32; 4], places: &[f32], wrap: &V3) {
    for d in 0..3 {
        let mut x = copy.x[d].to_array();
        let by = wrap[d].to_array();
        for (lane, &atom) in lanes.iter().enumerate().filter(|&(_, &atom)| atom != NOBODY) {
            x[lane] = places[3 * atom as usize + d] + by[lane];
        }
        copy.x[d] = F4::new(x[0], x[1], x[2], x[3]);
    }
}
