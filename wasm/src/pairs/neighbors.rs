//! See src/kernels/pairs/neighbors.ts.

use crate::args::Args;
use crate::frame::Frame;
use crate::lanes::F4;
use crate::pairs::lattice::Lattice;
use crate::pairs::list::{PairList, Scratch, SystemPairs};
use crate::pairs::team::Team;
use crate::xyz::Xyz;

/// A position further from the origin, in Å, is no number any more.
const FARTHEST: f32 = 1e9;

/// Nor is one that is so many cells away along a periodic direction.
const MOST_CELLS: f32 = 1048576.0;

/// A system as it is.
pub struct Now<'a> {
    pub positions: &'a [f32],
    pub images: Option<&'a [i32]>,
    pub cell: &'a [f32],
    pub pbc: &'a [i32],
}

/// See src/kernels/pairs/neighbors.ts.
pub fn neighbors(args: Args, frame: &mut Frame) {
    let list = args.object::<PairList>(0);
    let positions = args.read::<f32>(1);
    let cell = args.read::<f32>(2);
    let pbc = args.read::<i32>(3);
    let images = args.optional::<i32>(4);
    for s in frame.block.clone() {
        if !frame.is_active(s) {
            continue;
        }
        let atoms = frame.atoms(s);
        let range = 3 * atoms.start..3 * atoms.end;
        let now = Now {
            positions: &positions[range.clone()],
            images: images.as_ref().map(|images| &images[range]),
            cell: &cell[9 * s..9 * s + 9],
            pbc: &pbc[3 * s..3 * s + 3],
        };
        if !list.update(s, &now) {
            frame.report_diverged(s, 0);
        }
    }
}

impl PairList {
    /// Finds or prunes the pairs of a system when that is due; false where it has diverged.
    fn update(&mut self, system: usize, now: &Now) -> bool {
        let mut unwrapped = core::mem::take(&mut self.scratch.unwrapped);
        let is_well = self.update_with(system, now, &mut unwrapped);
        self.scratch.unwrapped = unwrapped;
        is_well
    }

    fn update_with(&mut self, system: usize, now: &Now, unwrapped: &mut Vec<f32>) -> bool {
        let (cutoff, skin) = (self.cutoff as f32, self.skin as f32);
        let Self { systems, scratch, team, .. } = self;
        let pairs = &mut systems[system];
        if pairs.is_loaded {
            pairs.is_loaded = false;
            if !pairs.renew(scratch, team, now.pbc, self.cutoff, self.skin) {
                return false;
            }
        }
        if pairs.builds > 0 {
            let places = unwrap(unwrapped, pairs, now);
            let pruning = &mut pairs.pruning;
            pruning.age += 1;
            let near = PullBack::new(now, &pruning.cell);
            if near.is_none() && is_within(places, &pruning.places, pruning.near, &None) {
                pairs.follow(now); // the cell is again what it was: since then it may have been another
                return true;
            }
            if is_lost(now) {
                return false;
            }
            let back = PullBack::new(now, &pairs.cell);
            let limit = slack(skin, &back, cutoff);
            let far = farthest(places, &pairs.reference, &back);
            if limit > 0.0 && far <= limit * limit {
                let margin = slack(pruning.margin, &near, cutoff);
                let is_well = margin >= 0.0 && is_within(places, &pruning.places, margin, &near);
                pairs.follow(now);
                if is_well {
                    return true;
                }
                let size = back.map_or(0.0, |back| back.size);
                let rest = (limit - far.sqrt()) / (1.0 + size) - 1e-5;
                return pairs.again(scratch, team, places, rest, cutoff, skin);
            }
        } else if is_lost(now) {
            return false;
        }
        if self.call != 0 {
            pairs.keep(self.call);
        }
        pairs.remember(now);
        pairs.renew(scratch, team, now.pbc, self.cutoff, self.skin)
    }
}

impl SystemPairs {
    /// Takes what is now as what pairs are found from.
    fn remember(&mut self, now: &Now) {
        self.reference.clear();
        self.reference.extend_from_slice(now.positions);
        self.images.clear();
        match now.images {
            Some(images) => self.images.extend_from_slice(images),
            None => self.images.resize(now.positions.len(), 0),
        }
        self.cell.copy_from_slice(now.cell);
        self.builds += 1;
    }

    /// Finds all pairs and prunes them. Where that cannot be there are none, and they are sought again next time.
    fn renew(
        &mut self,
        scratch: &mut Scratch,
        team: &Option<Team>,
        pbc: &[i32],
        cutoff: f64,
        skin: f64,
    ) -> bool {
        let is_well = self.find(scratch, team, pbc, cutoff + skin)
            && self.start(scratch, team, cutoff as f32, skin as f32);
        if !is_well {
            self.order.clear();
            self.cell = [f32::NAN; 9];
            self.pruning.cell = self.cell;
        }
        is_well
    }

    /// Prunes pairs that have just been found.
    fn start(&mut self, scratch: &mut Scratch, team: &Option<Team>, cutoff: f32, skin: f32) -> bool {
        let places = core::mem::take(&mut self.reference);
        self.strained = self.cell;
        let is_well = self.again(scratch, team, &places, 0.5 * skin - 1e-5, cutoff, skin);
        self.reference = places;
        is_well
    }

    /// The lattice vectors that clusters and ghosts are shifted by become those of the cell as it is.
    fn follow(&mut self, now: &Now) {
        if self.strained == now.cell {
            return;
        }
        self.strained.copy_from_slice(now.cell);
        let lattice = Lattice::new(now.cell, now.pbc);
        let vector = |whole: &[i32; 3]| lattice.vector(whole.map(f64::from)).map(|x| x as f32);
        for (wraps, wholes) in self.wraps.iter_mut().zip(self.wholes.as_chunks::<4>().0) {
            let [a, b, c, d] = wholes.each_ref().map(vector);
            *wraps = [0, 1, 2].map(|k| F4::new(a[k], b[k], c[k], d[k]));
        }
        for domain in &mut self.domains {
            for (ghost, whole) in domain.ghosts.iter_mut().zip(&domain.ghost_wholes) {
                ghost.shift = vector(whole);
            }
        }
    }

    /// Prunes to where the atoms are now; they can go `rest` further before pairs are to be found again.
    fn again(
        &mut self,
        scratch: &mut Scratch,
        team: &Option<Team>,
        now: &[f32],
        rest: f32,
        cutoff: f32,
        skin: f32,
    ) -> bool {
        self.gather(now, team);
        let pruning = &mut self.pruning;
        pruning.margin = next_margin(pruning.margin, pruning.age, skin);
        pruning.age = 0;
        pruning.places.clear();
        pruning.places.extend_from_slice(now);
        pruning.cell = self.strained;
        pruning.near = (0.5 * pruning.margin).min(rest).max(0.0);
        let reach = cutoff + pruning.margin;
        let order = core::mem::take(&mut self.order);
        let is_well = self.each_domain(team, |domain| domain.prune(scratch, &order, reach));
        self.order = order;
        is_well
    }
}

/// How far beyond the cutoff to prune. Pruning costs about as much as a step; each Å of margin makes steps a third
/// longer; and with atoms as fast as they were, a margin m lasts m / 2v steps: the sum is least at m² = 6v.
fn next_margin(last: f32, age: u32, skin: f32) -> f32 {
    let first = if last == 0.0 { 0.2 } else { (6.0 * 0.5 * last / age.max(1) as f32).sqrt() };
    let margin = first.clamp(0.02, 1.0);
    if margin > 0.7 * skin { skin } else { margin }
}

/// Where the atoms are, with the images that they had when the pairs were found.
pub fn unwrap<'a>(buffer: &'a mut Vec<f32>, pairs: &SystemPairs, now: &Now<'a>) -> &'a [f32] {
    let Some(images) = now.images else { return now.positions };
    if images == pairs.images {
        return now.positions;
    }
    buffer.clear();
    buffer.extend_from_slice(now.positions);
    for a in (0..images.len()).step_by(3) {
        let whole = [0, 1, 2].map(|k| f64::from(images[a + k]) - f64::from(pairs.images[a + k]));
        if whole == [0.0; 3] {
            continue;
        }
        for d in 0..3 {
            let back: f64 = (0..3).map(|k| whole[k] * f64::from(now.cell[3 * k + d])).sum();
            buffer[a + d] = (f64::from(buffer[a + d]) + back) as f32;
        }
    }
    buffer
}

/// What takes the strain of a cell off positions: see src/kernels/pairs/neighbors.ts.
struct PullBack {
    off: [f32; 9],
    size: f32,
}

impl PullBack {
    /// From the cell as it is to one that it was; none where that is the same.
    fn new(now: &Now, before: &[f32; 9]) -> Option<Self> {
        if before == now.cell {
            return None;
        }
        let (new, old) = (Lattice::new(now.cell, now.pbc), Lattice::new(before, now.pbc));
        let off: [f64; 9] = core::array::from_fn(|i| {
            let (d, e) = (i / 3, i % 3);
            (0..3).map(|k| new.inverse[k][d] * (old.rows[k][e] - new.rows[k][e])).sum()
        });
        let size = off.iter().map(|x| x * x).sum::<f64>().sqrt() as f32;
        Some(Self { off: off.map(|x| x as f32), size })
    }
}

/// How far atoms may go where pairs reach so much further than the cutoff.
fn slack(skin: f32, back: &Option<PullBack>, cutoff: f32) -> f32 {
    0.5 * (skin - back.as_ref().map_or(0.0, |back| back.size) * cutoff)
}

/// Whether no atom has gone further than `limit`, what its cell was strained by aside.
fn is_within(places: &[f32], from: &[f32], limit: f32, back: &Option<PullBack>) -> bool {
    if let Some(back) = back {
        return squares(places, from, back).all(|square| square <= limit * limit);
    }
    let limit = limit * limit;
    let all = F4::splat(limit);
    let (blocks, rest) = places.as_chunks::<12>();
    let (olds, old_rest) = from.as_chunks::<12>();
    let mut within = F4::splat(0.0).at_most(all);
    for (new, old) in blocks.iter().zip(olds) {
        let (new, old) = unsafe { (Xyz::load(new.as_ptr()), Xyz::load(old.as_ptr())) };
        let way = Xyz { x: new.x - old.x, y: new.y - old.y, z: new.z - old.z };
        within = within & way.square().at_most(all);
    }
    within.all() && rest.chunks_exact(3).zip(old_rest.chunks_exact(3)).all(|(a, b)| step(a, b) <= limit)
}

/// The square of the longest way that an atom has gone, what its cell was strained by aside.
fn farthest(places: &[f32], from: &[f32], back: &Option<PullBack>) -> f32 {
    match back {
        Some(back) => squares(places, from, back).fold(0.0, f32::max),
        None => places.chunks_exact(3).zip(from.chunks_exact(3)).fold(0.0, |most, (a, b)| step(a, b).max(most)),
    }
}

fn squares<'a>(
    places: &'a [f32],
    from: &'a [f32],
    PullBack { off, .. }: &'a PullBack,
) -> impl Iterator<Item = f32> + use<'a> {
    places.chunks_exact(3).zip(from.chunks_exact(3)).map(move |(x, old)| {
        let [a, b, c] =
            [0, 1, 2].map(|d| x[d] - old[d] + (x[0] * off[d] + x[1] * off[3 + d] + x[2] * off[6 + d]));
        a * a + b * b + c * c
    })
}

fn step(a: &[f32], b: &[f32]) -> f32 {
    let [x, y, z] = [0, 1, 2].map(|d| a[d] - b[d]);
    x * x + y * y + z * z
}

/// Whether an atom is where no number is.
fn is_lost(now: &Now) -> bool {
    let most = (0..3).filter(|&k| now.pbc[k] != 0).fold(FARTHEST, |most, k| {
        let row = &now.cell[3 * k..3 * k + 3];
        most.min(MOST_CELLS * step(row, &[0.0; 3]).sqrt())
    });
    !now.positions.iter().all(|x| x.abs() <= most)
}
