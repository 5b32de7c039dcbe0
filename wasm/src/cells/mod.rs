//! Lattice coordinates in cells with any periodicity, in f64: see src/kernels/cells.

pub mod align;
pub mod strain;

/// Nine numbers, the lattice vectors one after the other.
pub type Cell = [f64; 9];

pub type Vector = [f64; 3];

/// The cell of a system.
pub fn cell_of(cells: &[f32], system: usize) -> Cell {
    core::array::from_fn(|i| cells[9 * system + i] as f64)
}

pub fn row(cell: &Cell, k: usize) -> Vector {
    [cell[3 * k], cell[3 * k + 1], cell[3 * k + 2]]
}

fn set_row(cell: &mut Cell, k: usize, row: Vector) {
    cell[3 * k..3 * k + 3].copy_from_slice(&row);
}

/// The cell, and matrix, of no strain.
pub const IDENTITY: Cell = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// The product of two matrices.
pub fn product(a: &Cell, b: &Cell) -> Cell {
    core::array::from_fn(|k| {
        let (i, j) = (k / 3 * 3, k % 3);
        a[i] * b[j] + a[i + 1] * b[3 + j] + a[i + 2] * b[6 + j]
    })
}

pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Its direction.
pub fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

/// a · (b × c): negative for a left-handed cell.
pub fn signed_volume(cell: &Cell) -> f64 {
    dot(row(cell, 0), cross(row(cell, 1), row(cell, 2)))
}

/// Unit vectors, normal to the others, in the place of rows that are zero.
pub fn completed(mut cell: Cell) -> Cell {
    let missing = |k: &usize| row(&cell, *k) == [0.0; 3];
    match (0..3).filter(missing).count() {
        0 => {}
        1 => {
            let k = (0..3).find(missing).unwrap_or(0);
            let normal = unit(cross(row(&cell, (k + 1) % 3), row(&cell, (k + 2) % 3)));
            set_row(&mut cell, k, normal);
        }
        2 => {
            let k = (0..3).find(|k| !missing(k)).unwrap_or(0);
            let given = row(&cell, k);
            let normal = unit(cross(given, least_axis(given)));
            set_row(&mut cell, (k + 1) % 3, normal);
            set_row(&mut cell, (k + 2) % 3, unit(cross(given, normal)));
        }
        _ => cell = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    }
    cell
}

/// The axis that a vector goes least along.
fn least_axis(vector: Vector) -> Vector {
    let [x, y, z] = vector.map(f64::abs);
    let least = if x <= y && x <= z { 0 } else if y <= z { 1 } else { 2 };
    core::array::from_fn(|i| (i == least) as u8 as f64)
}

/// Three columns: lattice coordinate k of a position is its product with the k-th. None for a cell without volume.
pub fn inverse(cell: Cell) -> Option<[Vector; 3]> {
    let cell = completed(cell);
    let volume = signed_volume(&cell);
    let column = |k: usize| {
        cross(row(&cell, (k + 1) % 3), row(&cell, (k + 2) % 3)).map(|x| x / volume)
    };
    if volume == 0.0 { None } else { Some([0, 1, 2].map(column)) }
}

/// Takes wrapped positions out of their cells again: see src/kernels/cells/unwrapped.ts.
#[derive(Clone, Copy)]
pub struct Unwrap<'a> {
    positions: &'a [f32],
    images: Option<&'a [i32]>,
    cell: Cell,
}

impl<'a> Unwrap<'a> {
    /// For one system; without cells or without images nothing was ever wrapped.
    pub fn new(
        positions: &'a [f32],
        cells: Option<&[f32]>,
        images: Option<&'a [i32]>,
        system: usize,
    ) -> Self {
        match cells {
            Some(cells) => Self { positions, images, cell: cell_of(cells, system) },
            None => Self { positions, images: None, cell: [0.0; 9] },
        }
    }

    /// Where an atom is.
    pub fn at(&self, atom: usize) -> Vector {
        let x = vector(self.positions, atom);
        self.images.map_or(x, |images| add(x, self.shift(images, atom)))
    }

    /// The sum of the i-th three of many whole lattice vectors.
    pub fn shift(&self, vectors: &[i32], i: usize) -> Vector {
        let n: Vector = core::array::from_fn(|k| vectors[3 * i + k] as f64);
        core::array::from_fn(|axis| {
            n[0] * self.cell[axis] + n[1] * self.cell[3 + axis] + n[2] * self.cell[6 + axis]
        })
    }
}

/// The i-th vector.
pub fn vector(vectors: &[f32], i: usize) -> Vector {
    core::array::from_fn(|k| vectors[3 * i + k] as f64)
}

/// Rounds a vector into the i-th place.
pub fn put(vectors: &mut [f32], i: usize, vector: Vector) {
    for (to, x) in vectors[3 * i..3 * i + 3].iter_mut().zip(vector) {
        *to = x as f32;
    }
}

pub fn add(a: Vector, b: Vector) -> Vector {
    core::array::from_fn(|k| a[k] + b[k])
}

pub fn sub(a: Vector, b: Vector) -> Vector {
    core::array::from_fn(|k| a[k] - b[k])
}
