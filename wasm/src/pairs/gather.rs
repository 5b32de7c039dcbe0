//! Positions from the order of the user into clusters, forces back.

use crate::lanes::F4;
use crate::pairs::clusters::NOBODY;
use crate::pairs::domains::Domain;
use crate::pairs::list::{Copy4, SystemPairs, NOWHERE};
use crate::pairs::team::Team;
use crate::pairs::vectors::{V3, ZERO};

impl SystemPairs {
    /// Brings positions into the clusters and ghosts of the domains of this thread, and sets all forces there to zero.
    pub fn gather(&mut self, places: &[f32], team: &Option<Team>) {
        let team = self.team_of(team);
        let mut domains = core::mem::take(&mut self.domains);
        for (_, domain) in domains.iter_mut().enumerate().filter(|&(k, _)| Team::owns(team, k)) {
            self.gather_domain(domain, places);
        }
        self.domains = domains;
    }

    /// The same for one domain.
    pub fn gather_domain(&self, domain: &mut Domain, places: &[f32]) {
        assert!(places.len().div_ceil(12) == self.clusters());
        let (clusters, ghosts) = domain.copies.split_at_mut(domain.last - domain.first);
        let own = self.order.as_chunks::<4>().0[domain.first..domain.last].iter();
        for ((copy, lanes), wrap) in clusters.iter_mut().zip(own).zip(&self.wraps[domain.first..]) {
            *copy = Copy4 { x: gathered(lanes, places, wrap), f: ZERO };
        }
        if clusters.len() == self.clusters() {
            // Most systems have one domain, and many of them more ghosts than clusters.
            for (copy, ghost) in ghosts.iter_mut().zip(&domain.ghosts) {
                let x = &clusters[ghost.cluster as usize].x;
                let shift = ghost.shift.map(F4::splat);
                *copy = Copy4 { x: [x[0] + shift[0], x[1] + shift[1], x[2] + shift[2]], f: ZERO };
            }
            return;
        }
        for (copy, ghost) in ghosts.iter_mut().zip(&domain.ghosts) {
            let c = ghost.cluster as usize;
            let x = match clusters.get(c.wrapping_sub(domain.first)) {
                Some(own) => own.x,
                None => gathered(&self.order.as_chunks::<4>().0[c], places, &self.wraps[c]),
            };
            let shift = ghost.shift.map(F4::splat);
            *copy = Copy4 { x: [x[0] + shift[0], x[1] + shift[1], x[2] + shift[2]], f: ZERO };
        }
    }

    /// Adds the forces on ghosts to those on their clusters, and these to the atoms', where there is one domain.
    pub fn scatter_domain(&mut self, forces: &mut [f32]) {
        let Domain { copies, ghosts, .. } = &mut self.domains[0];
        let (clusters, copies) = copies.split_at_mut(self.order.len() / 4);
        for (copy, ghost) in copies.iter().zip(ghosts) {
            let f = &mut clusters[ghost.cluster as usize].f;
            *f = [f[0] + copy.f[0], f[1] + copy.f[1], f[2] + copy.f[2]];
        }
        scatter(&self.order, clusters.iter().map(|copy| &copy.f), forces);
    }
}

/// Adds the forces on clusters to those on atoms.
pub fn scatter<'a>(order: &[u32], clusters: impl Iterator<Item = &'a V3>, forces: &mut [f32]) {
    assert!(forces.len().div_ceil(12) == order.len() / 4);
    for (&[x, y, z], lanes) in clusters.zip(order.as_chunks::<4>().0) {
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

/// The places of the atoms of a cluster within the cell.
#[inline(always)]
fn gathered(lanes: &[u32; 4], places: &[f32], wrap: &V3) -> V3 {
    if lanes[3] == NOBODY {
        return gathered_some(lanes, places, wrap);
    }
    let atoms = lanes.map(|atom| unsafe { F4::load3(places.as_ptr().add(3 * atom as usize)) });
    let [x, y, z, _] = F4::transpose(atoms);
    [x + wrap[0], y + wrap[1], z + wrap[2]]
}

/// The same for a cluster of less than four atoms.
#[cold]
fn gathered_some(lanes: &[u32; 4], places: &[f32], wrap: &V3) -> V3 {
    [0, 1, 2].map(|d| {
        let by = wrap[d].to_array();
        let mut x = [NOWHERE; 4];
        for (lane, &atom) in lanes.iter().enumerate().filter(|&(_, &atom)| atom != NOBODY) {
            x[lane] = places[3 * atom as usize + d] + by[lane];
        }
        F4::new(x[0], x[1], x[2], x[3])
    })
}
