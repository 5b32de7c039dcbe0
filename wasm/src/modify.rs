//! What hooks change of a system. In f64, and rounded once.

use crate::args::Args;
use crate::cells::{cell_of, dot, inverse, put, row, sub, unit, vector, Cell, Unwrap, Vector};
use crate::frame::Frame;

/// See src/kernels/modify/clamp_forces.ts.
pub fn clamp_forces(args: Args, frame: &mut Frame) {
    let forces = args.change::<f32>(0);
    let limit = args.number(1);
    for (_, atoms) in frame.awake() {
        for a in atoms {
            if let Some(clamped) = clamp(vector(forces, a), limit) {
                put(forces, a, clamped);
            }
        }
    }
}

/// None where nothing is to be done.
fn clamp(force: Vector, limit: f64) -> Option<Vector> {
    let length = dot(force, force).sqrt();
    if force.iter().any(|x| x.is_nan()) || length <= limit {
        return None;
    }
    if length < f64::INFINITY {
        return Some(force.map(|x| limit * (x / length)));
    }
    let direction = force.map(|x| if x.is_infinite() { x.signum() } else { 0.0 });
    Some(unit(direction).map(|x| limit * x))
}

/// What is held; src/kernels/modify/freeze_atoms.ts has the same.
const POSITIONS: u32 = 1;
const VELOCITIES: u32 = 2;
const FORCES: u32 = 4;

/// See src/kernels/modify/freeze_atoms.ts.
pub fn freeze_atoms(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let velocities = args.change::<f32>(1);
    let forces = args.change::<f32>(2);
    let frozen = args.read::<i32>(3);
    let anchors = args.read::<f32>(4);
    let images = args.optional::<i32>(5).map(|images| &*images);
    let cells = args.optional::<f32>(6).map(|cells| &*cells);
    let what = args.number(7) as u32;
    for (s, atoms) in frame.awake() {
        let lattice = Unwrap::new(anchors, cells, None, s);
        for a in atoms.filter(|&a| frozen[a] != 0) {
            if what & POSITIONS != 0 {
                let place = match (images, cells) {
                    (Some(images), Some(_)) => sub(lattice.at(a), lattice.shift(images, a)),
                    _ => lattice.at(a),
                };
                put_some(positions, a, place, frozen[a]);
            }
            if what & VELOCITIES != 0 {
                put_some(velocities, a, [0.0; 3], frozen[a]);
            }
            if what & FORCES != 0 {
                put_some(forces, a, [0.0; 3], frozen[a]);
            }
        }
    }
}

/// The same in the directions of some bits.
fn put_some(vectors: &mut [f32], i: usize, vector: Vector, axes: i32) {
    for axis in (0..3).filter(|axis| (axes >> axis) & 1 != 0) {
        vectors[3 * i + axis] = vector[axis] as f32;
    }
}

/// How far below a face an atom stays, and from where on nothing is counted: as in src/kernels/modify/wrap_positions.ts.
const EDGE: f64 = 1e-6;
const FAR: f64 = 1_073_741_824.0;

/// See src/kernels/modify/wrap_positions.ts.
pub fn wrap_positions(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let images = args.change::<i32>(1);
    let cells = args.read::<f32>(2);
    let pbc = args.read::<i32>(3);
    for (s, atoms) in frame.awake() {
        let periodic = &pbc[3 * s..3 * s + 3];
        let cell = cell_of(cells, s);
        if periodic == [0; 3] {
            continue;
        }
        let Some(columns) = inverse(cell) else { continue };
        let edges = columns.map(|column| EDGE * dot(reach(&cell), column.map(f64::abs)));
        let wholes_along = |x: Vector, k: usize| wholes(dot(x, columns[k]), edges[k]);
        for a in atoms {
            let x = vector(positions, a);
            let n = [0, 1, 2].map(|k| if periodic[k] == 0 { 0.0 } else { wholes_along(x, k) });
            if n == [0.0; 3] {
                continue;
            }
            let mut inside = x;
            for (k, &n) in n.iter().enumerate().filter(|(_, n)| **n != 0.0) {
                images[3 * a + k] = images[3 * a + k].wrapping_add(n as i32);
                inside = sub(inside, row(&cell, k).map(|h| n * h));
            }
            put(positions, a, inside);
        }
    }
}

/// The largest coordinates in a cell.
fn reach(cell: &Cell) -> Vector {
    [0, 1, 2].map(|i| cell[i].abs() + cell[3 + i].abs() + cell[6 + i].abs())
}

/// How many lattice vectors to take off at a lattice coordinate.
fn wholes(at: f64, edge: f64) -> f64 {
    let is_inside = (-edge..1.0).contains(&at);
    if is_inside || !(at.abs() < FAR) { 0.0 } else { (at + edge).floor() }
}
