//! Domains: consecutive clusters of a system, with the pairs that begin there. Each domain sums forces on its own
//! copies, and the sums of all domains are added in their order. The number of domains depends only on the system, so
//! forces have the same bits on any number of threads.

use core::ops::Range;

use crate::pairs::exclusions::Exclusions;
use crate::pairs::list::{Copy4, Ghost, Runs, SystemPairs};
use crate::pairs::system::SUMS;
use crate::pairs::team::{Parcel, Team};
use crate::pairs::vectors::{V3, ZERO};

/// Largest number of clusters of a domain. Smaller domains could be spread over more threads, but have more copies of
/// clusters of other domains.
const MOST_CLUSTERS: usize = 1024;

/// Consecutive clusters of a system: those below a node of the tree, so that they are compact.
#[derive(Default)]
pub struct Domain {
    /// Number of the first cluster within the system.
    pub first: usize,
    /// The number after that of the last cluster.
    pub last: usize,
    /// All clusters of the domain, then all ghosts, then one at `NOWHERE`.
    pub copies: Vec<Copy4>,
    /// Clusters under lattice vectors, and clusters of other domains, whose shift may be 0.
    pub ghosts: Vec<Ghost>,
    /// The whole lattice vectors of the shift of each ghost.
    pub ghost_wholes: Vec<[i32; 3]>,
    /// The copies within cutoff + skin of each cluster, each pair once, as indices into `copies`.
    pub outer: Runs<u32>,
    /// The copies within a shorter reach of each atom, pruned from `outer`. They are addresses, because `copies` does
    /// not move before pairs are found again. Each row has an even length; a copy at `NOWHERE` may fill it up.
    pub rows: Runs<*mut Copy4>,
    /// Number of times that the rows were made.
    pub made: u32,
    /// Excluded pairs in the rows, for each list of exclusions.
    pub exclusions: Vec<Exclusions>,
    /// Forces on clusters and ghosts, if the system has several domains.
    pub forces: Vec<V3>,
    /// The energy, then the virial.
    pub sums: [f64; SUMS],
    /// 1 if pairs were found and 0 otherwise, and the number of ghosts. Other threads need both first.
    pub found: [u32; 2],
}

impl Domain {
    pub fn clusters(&self) -> usize {
        self.last - self.first
    }

    /// The rows of the domain among those of the system.
    pub fn lanes(&self) -> Range<usize> {
        4 * self.first..4 * self.last
    }

    /// The cluster of a copy, and the shift that was added to it; `None` for the copy at `NOWHERE`.
    pub fn origin_of(&self, copy: usize) -> Option<(usize, Ghost)> {
        match copy.checked_sub(self.clusters()) {
            None => Some((self.first + copy, Ghost::default())),
            Some(ghost) => self.ghosts.get(ghost).map(|&ghost| (ghost.cluster as usize, ghost)),
        }
    }

    /// Moves the forces from the copies to `forces`, from which they are sent.
    pub fn collect_forces(&mut self) {
        self.forces.clear();
        self.forces.extend(self.copies[..self.copies.len() - 1].iter().map(|copy| copy.f));
    }

    /// Adds forces on clusters and ghosts to those on clusters of the system.
    pub fn add_forces<'a>(&self, mut forces: impl Iterator<Item = &'a V3>, to: &mut [V3]) {
        for (to, f) in to[self.first..self.last].iter_mut().zip(&mut forces) {
            add(to, f);
        }
        for (ghost, f) in self.ghosts.iter().zip(forces) {
            add(&mut to[ghost.cluster as usize], f);
        }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.outer.starts.capacity() + self.outer.entries.capacity() + self.rows.starts.capacity())
            + size_of::<*mut Copy4>() * self.rows.entries.capacity()
            + size_of::<Copy4>() * self.copies.capacity()
            + size_of::<Ghost>() * self.ghosts.capacity()
            + size_of::<[i32; 3]>() * self.ghost_wholes.capacity()
            + size_of::<V3>() * self.forces.capacity()
    }
}

#[inline(always)]
fn add(to: &mut V3, f: &V3) {
    *to = [to[0] + f[0], to[1] + f[1], to[2] + f[2]];
}

impl SystemPairs {
    /// Splits the clusters into domains, as the tree does.
    pub fn split_domains(&mut self) {
        let clusters = self.clusters();
        let mut domains = core::mem::take(&mut self.domains).into_iter();
        split(0, clusters, &mut |first, last| {
            let old = domains.next().unwrap_or_default();
            self.domains.push(Domain { first, last, ..old });
        });
    }

    /// Calls `work` for the domains of this thread, and sends the other threads its results and the numbers of ghosts.
    /// Returns false if `work` failed on any thread.
    pub fn each_domain(&mut self, team: &Option<Team>, mut work: impl FnMut(&mut Domain) -> bool) -> bool {
        let team = self.team_of(team);
        let mut is_well = true;
        for (_, domain) in self.domains.iter_mut().enumerate().filter(|&(k, _)| Team::owns(team, k)) {
            let is_found = work(domain);
            domain.found = [is_found.into(), domain.ghosts.len() as u32];
            is_well &= is_found;
        }
        let Some(team) = team else { return is_well };
        team.share(self.domains.iter_mut().enumerate().map(|(k, one)| Parcel::of(team, k, &mut one.found)));
        self.domains.iter().all(|one| one.found[0] != 0)
    }

    /// Sends the ghosts of the domains of this thread to the other threads.
    pub fn share_ghosts(&mut self, team: &Option<Team>) {
        let Some(team) = self.team_of(team) else { return };
        for domain in &mut self.domains {
            let [_, ghosts] = domain.found;
            domain.ghosts.resize(ghosts as usize, Ghost::default());
            domain.forces.resize(domain.clusters() + ghosts as usize, ZERO);
        }
        team.share(self.domains.iter_mut().enumerate().map(|(k, one)| Parcel::of(team, k, &mut one.ghosts)));
    }

    /// Exchanges the forces of all domains with the other threads, and adds them, in the order of domains, to `to`.
    pub fn share_forces(&mut self, team: &Team, to: &mut [V3]) {
        team.share(self.domains.iter_mut().enumerate().flat_map(|(k, one)| {
            [Parcel::of(team, k, &mut one.forces), Parcel::of(team, k, &mut one.sums)]
        }));
        for domain in &self.domains {
            domain.add_forces(domain.forces.iter(), to);
        }
    }

    /// The team that computes the domains; `None` if there is only one domain, which each thread computes.
    pub fn team_of<'a>(&self, team: &'a Option<Team>) -> Option<&'a Team> {
        team.as_ref().filter(|_| self.domains.len() > 1)
    }
}

/// Returns the number of domains into which a number of clusters is split.
pub fn count_domains(clusters: usize) -> usize {
    let mut count = 0;
    split(0, clusters, &mut |_, _| count += 1);
    count
}

fn split(first: usize, last: usize, found: &mut impl FnMut(usize, usize)) {
    let clusters = last - first;
    if clusters <= MOST_CLUSTERS {
        return found(first, last);
    }
    let middle = first + clusters / 2;
    split(first, middle, found);
    split(middle, last, found);
}
