//! Cells that relax. In f64, and rounded once.

use crate::args::Args;
use crate::cells::{cell_of, cross, dot, product, put, row, signed_volume, vector, Cell, Vector, IDENTITY};
use crate::frame::Frame;

/// src/kernels/cells/deformation.ts and strain_forces.ts have the same.
const STRAIN_LENGTH: f64 = 3.0;
const PRESSURE: usize = 0;
const ISOTROPIC: usize = 1;
const PARAMETERS: usize = 2;

fn strain_length(atoms: usize) -> f64 {
    STRAIN_LENGTH * (atoms.max(1) as f64).sqrt()
}

/// See src/kernels/cells/strain_forces.ts.
pub fn strain_forces(args: Args, frame: &mut Frame) {
    let forces = args.read::<f32>(0);
    let virial = args.read::<f64>(1);
    let cells = args.read::<f32>(2);
    let pbc = args.read::<i32>(3);
    let energy = args.optional::<f64>(4);
    let parameters = args.read::<f64>(5);
    let strains = args.change::<f32>(6);
    let references = args.change::<f32>(7);
    let cell_forces = args.change::<f32>(8);
    let mut pulled = args.optional::<f32>(9);
    let mut enthalpy = args.optional::<f64>(10);
    let stage = args.optional::<i32>(11);
    let stages = args.number(12)..args.number(13);
    for (s, atoms) in frame.all() {
        if stage.as_ref().is_some_and(|stage| !stages.contains(&(stage[s] as f64))) {
            continue;
        }
        let (at, is_active) = (9 * s, frame.is_active(s));
        let given = &cells[at..at + 9];
        let is_changed = *given != references[2 * at + 9..2 * at + 18];
        if is_changed && is_active {
            strains[at..at + 9].fill(0.0);
            references[2 * at..2 * at + 9].copy_from_slice(given);
            references[2 * at + 9..2 * at + 18].copy_from_slice(given);
        }
        let length = strain_length(atoms.len());
        let f = if is_changed { IDENTITY } else { deformation(&strains[at..at + 9], length) };
        let cell = cell_of(cells, s);
        let outside = parameters[PARAMETERS * s + PRESSURE] * signed_volume(&cell).abs();
        let stretching: Cell = core::array::from_fn(|k| virial[at + k] - if k % 4 == 0 { outside } else { 0.0 });
        let along = along_periodic(&cell, &pbc[3 * s..3 * s + 3]);
        let is_isotropic = parameters[PARAMETERS * s + ISOTROPIC] != 0.0;
        let driven = restricted(product(&stretching, &inverted(&f)), &along, is_isotropic);
        for (force, driven) in cell_forces[at..at + 9].iter_mut().zip(driven) {
            *force = (driven / length) as f32;
        }
        if let (Some(enthalpy), Some(energy)) = (&mut enthalpy, &energy) {
            enthalpy[s] = energy[s] + outside;
        }
        if let (Some(pulled), true) = (&mut pulled, is_active) {
            for a in atoms {
                put(pulled, a, times(vector(forces, a), &f));
            }
        }
    }
}

/// See src/kernels/cells/deform.ts.
pub fn deform(args: Args, frame: &mut Frame) {
    let positions = args.change::<f32>(0);
    let cells = args.change::<f32>(1);
    let moved = args.change::<f32>(2);
    let strained = args.change::<f32>(3);
    let strains = args.change::<f32>(4);
    let references = args.change::<f32>(5);
    for (s, atoms) in frame.awake() {
        let at = 9 * s;
        let length = strain_length(atoms.len());
        let before = inverted(&deformation(&strains[at..at + 9], length));
        let change: Cell = core::array::from_fn(|k| strained[at + k] as f64 / length);
        for k in at..at + 9 {
            strains[k] += strained[k];
            strained[k] = 0.0;
        }
        let after = deformation(&strains[at..at + 9], length);
        let turn = product(&before, &change);
        for a in atoms {
            let x = vector(positions, a);
            let (with_cell, own) = (times(x, &turn), times(vector(moved, a), &after));
            put(positions, a, core::array::from_fn(|k| x[k] + (with_cell[k] + own[k])));
            put(moved, a, [0.0; 3]);
        }
        let reference: Cell = core::array::from_fn(|k| references[2 * at + k] as f64);
        for (k, now) in product(&reference, &after).into_iter().enumerate() {
            cells[at + k] = now as f32;
            references[2 * at + 9 + k] = now as f32;
        }
    }
}

fn deformation(strain: &[f32], length: f64) -> Cell {
    core::array::from_fn(|k| IDENTITY[k] + strain[k] as f64 / length)
}

/// A row times a matrix.
fn times(v: Vector, m: &Cell) -> Vector {
    core::array::from_fn(|k| v[0] * m[k] + v[1] * m[3 + k] + v[2] * m[6 + k])
}

fn inverted(m: &Cell) -> Cell {
    let [a, b, c] = [row(m, 0), row(m, 1), row(m, 2)];
    let columns = [cross(b, c), cross(c, a), cross(a, b)];
    let size = dot(a, columns[0]);
    core::array::from_fn(|k| columns[k % 3][k / 3] / size)
}

/// What takes any vector to its part along the periodic directions.
fn along_periodic(cell: &Cell, pbc: &[i32]) -> Cell {
    let given = || (0..3).filter(|&k| pbc[k] != 0).map(|k| row(cell, k));
    let outer = |v: Vector| -> Cell {
        let square = dot(v, v);
        core::array::from_fn(|k| v[k / 3] * v[k % 3] / square)
    };
    let mut rows = given();
    match (rows.next(), rows.next(), rows.next()) {
        (None, ..) => [0.0; 9],
        (Some(a), None, _) => outer(a),
        (Some(a), Some(b), None) => {
            let normal = outer(cross(a, b));
            core::array::from_fn(|k| IDENTITY[k] - normal[k])
        }
        _ => IDENTITY,
    }
}

/// The symmetric part, along periodic directions.
fn restricted(force: Cell, along: &Cell, is_isotropic: bool) -> Cell {
    let symmetric: Cell = core::array::from_fn(|k| 0.5 * (force[k] + force[k % 3 * 3 + k / 3]));
    let inside = product(&product(along, &symmetric), along);
    if !is_isotropic {
        return inside;
    }
    let trace = |m: &Cell| m[0] + m[4] + m[8];
    let directions = trace(along);
    let each = if directions == 0.0 { 0.0 } else { trace(&inside) / directions };
    along.map(|x| each * x)
}
