//! Springs: between atoms, between atoms and points, between a group and a point. In f64, forces rounded as they are
//! added.

use crate::args::Args;
use crate::cells::{add, dot, sub, vector, Unwrap, Vector};
use crate::frame::Frame;

/// What to compute besides forces; the bits of `want` as in src/kernels/pairs/sum_pairs.ts.
const ENERGY: u32 = 1;
const VIRIAL: u32 = 2;

/// Where a potential adds what it finds.
struct Sums {
    forces: &'static mut [f32],
    energy: &'static mut [f64],
    virial: &'static mut [f64],
    want: u32,
}

impl Sums {
    /// From four arguments in a row.
    fn new(args: Args, at: usize) -> Self {
        Self {
            forces: args.change(at),
            energy: args.change(at + 1),
            virial: args.change(at + 2),
            want: args.number(at + 3) as u32,
        }
    }

    /// A force of `by` times a vector on an atom.
    fn pull(&mut self, atom: usize, by: f64, along: Vector) {
        for (force, d) in self.forces[3 * atom..3 * atom + 3].iter_mut().zip(along) {
            *force += (by * d) as f32;
        }
    }

    /// What a system has of a spring that pulls with −`pull` d.
    fn store(&mut self, system: usize, energy: f64, pull: f64, d: Vector) {
        if self.want & ENERGY != 0 {
            self.energy[system] += energy;
        }
        if self.want & VIRIAL != 0 {
            for (k, virial) in self.virial[9 * system..9 * system + 9].iter_mut().enumerate() {
                *virial -= pull * d[k / 3] * d[k % 3];
            }
        }
    }
}

fn lattice(args: Args, at: usize, system: usize) -> Unwrap<'static> {
    let positions = args.read::<f32>(at);
    let cells = args.optional::<f32>(at + 1).map(|cells| &*cells);
    Unwrap::new(positions, cells, args.optional::<i32>(at + 2).map(|images| &*images), system)
}

/// See src/kernels/bonded/tethers.ts.
pub fn tethers(args: Args, frame: &mut Frame) {
    let anchors = args.read::<f32>(3);
    let stiffness = args.read::<f32>(4);
    let mut sums = Sums::new(args, 5);
    for (s, atoms) in frame.awake() {
        let positions = lattice(args, 0, s);
        for a in atoms.filter(|&a| stiffness[a] != 0.0) {
            let k = stiffness[a] as f64;
            let d = sub(positions.at(a), vector(anchors, a));
            sums.pull(a, -k, d);
            sums.store(s, 0.5 * k * dot(d, d), k, d);
        }
    }
}

/// See src/kernels/bonded/harmonic_bonds.ts.
pub fn harmonic_bonds(args: Args, frame: &mut Frame) {
    let starts = args.read::<i32>(0);
    let bonds = args.read::<i32>(1);
    let shifts = args.optional::<i32>(2).map(|shifts| &*shifts);
    let lengths = args.read::<f32>(3);
    let stiffness = args.read::<f32>(4);
    let mut sums = Sums::new(args, 8);
    for (s, atoms) in frame.awake() {
        let positions = lattice(args, 5, s);
        for b in starts[s] as usize..starts[s + 1] as usize {
            let [i, j] = [bonds[2 * b], bonds[2 * b + 1]].map(|k| atoms.start + k as usize);
            let apart = sub(positions.at(j), positions.at(i));
            let d = shifts.map_or(apart, |shifts| add(apart, positions.shift(shifts, b)));
            let r = dot(d, d).sqrt();
            let (k, stretch) = (stiffness[b] as f64, r - lengths[b] as f64);
            let pull = if r == 0.0 { 0.0 } else { k * stretch / r };
            sums.pull(i, pull, d);
            sums.pull(j, -pull, d);
            sums.store(s, 0.5 * k * stretch * stretch, pull, d);
        }
    }
}

/// See src/kernels/bonded/center_bias.ts.
pub fn center_bias(args: Args, frame: &mut Frame) {
    let masses = args.read::<f32>(3);
    let center = args.read::<f32>(4);
    let stiffness = args.read::<f32>(5);
    let mut sums = Sums::new(args, 6);
    for (s, atoms) in frame.awake().filter(|&(s, _)| stiffness[s] != 0.0) {
        let positions = lattice(args, 0, s);
        let (mut mass, mut moment) = (0.0, [0.0; 3]);
        for a in atoms.clone().filter(|&a| masses[a] != 0.0) {
            let m = masses[a] as f64;
            mass += m;
            moment = add(moment, positions.at(a).map(|x| m * x));
        }
        if mass == 0.0 {
            continue;
        }
        let k = stiffness[s] as f64;
        let d = sub(moment.map(|x| x / mass), vector(center, s));
        for a in atoms {
            sums.pull(a, -k * masses[a] as f64 / mass, d);
        }
        sums.store(s, 0.5 * k * dot(d, d), k, d);
    }
}
