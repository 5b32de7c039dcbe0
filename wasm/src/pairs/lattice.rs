//! Directions, heights and lattice coordinates of a cell with any periodicity; src/kernels/pairs/lattice.ts has the same.

pub type Row = [f64; 3];

pub struct Lattice {
    /// The lattice vectors; along directions that are not periodic, unit vectors normal to the others.
    pub rows: [Row; 3],
    /// The lattice coordinate k of x is x · inverse[k].
    pub inverse: [Row; 3],
    /// The distance between the two faces of the cell across each direction.
    pub heights: [f64; 3],
    pub periodic: [bool; 3],
}

impl Lattice {
    pub fn new(cell: &[f32], pbc: &[i32]) -> Self {
        let periodic = [pbc[0] != 0, pbc[1] != 0, pbc[2] != 0];
        let rows = complete(cell, periodic);
        let normals = [0, 1, 2].map(|k| cross(rows[(k + 1) % 3], rows[(k + 2) % 3]));
        let volume = dot(rows[0], normals[0]);
        Self {
            rows,
            inverse: normals.map(|n| n.map(|x| x / volume)),
            heights: normals.map(|n| volume.abs() / dot(n, n).sqrt()),
            periodic,
        }
    }

    /// The whole lattice vectors that bring a place into the cell.
    pub fn wrap(&self, place: Row) -> Row {
        [0, 1, 2].map(|k| if self.periodic[k] { -dot(place, self.inverse[k]).floor() } else { 0.0 })
    }

    pub fn vector(&self, whole: Row) -> Row {
        [0, 1, 2].map(|d| (0..3).map(|k| whole[k] * self.rows[k][d]).sum())
    }
}

fn complete(cell: &[f32], periodic: [bool; 3]) -> [Row; 3] {
    let mut rows = [0, 1, 2].map(|k| {
        [0, 1, 2].map(|d| if periodic[k] { f64::from(cell[3 * k + d]) } else { 0.0 })
    });
    match periodic.iter().filter(|&&p| p).count() {
        0 => rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        1 => {
            let k = periodic.iter().position(|&p| p).unwrap_or(0);
            let row = rows[k];
            let least = (1..3).fold(0, |a, b| if row[b].abs() < row[a].abs() { b } else { a });
            let mut axis = [0.0; 3];
            axis[least] = 1.0;
            rows[(k + 1) % 3] = unit(cross(row, axis));
            rows[(k + 2) % 3] = unit(cross(row, rows[(k + 1) % 3]));
        }
        2 => {
            let k = periodic.iter().position(|&p| !p).unwrap_or(0);
            rows[k] = unit(cross(rows[(k + 1) % 3], rows[(k + 2) % 3]));
        }
        _ => {}
    }
    rows
}

fn cross(a: Row, b: Row) -> Row {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Row, b: Row) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(a: Row) -> Row {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}
