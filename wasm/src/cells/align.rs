//! Cells turned so that their vectors lie along the axes. In f64, and rounded once.

use crate::args::Args;
use crate::cells::{
    cell_of, completed, cross, dot, put, row, signed_volume, sub, unit, vector, Cell, Vector,
};
use crate::frame::Frame;

/// See src/kernels/cells/align_cells.ts.
pub fn align_cells(args: Args, frame: &mut Frame) {
    let cells = args.change::<f32>(0);
    let mut vectors = [1, 2, 3].map(|i| args.change::<f32>(i));
    let pbc = args.read::<i32>(4);
    for (s, atoms) in frame.awake() {
        let cell = cell_of(cells, s);
        if pbc[3 * s..3 * s + 3] == [0; 3] || is_aligned(&cell) {
            continue;
        }
        let Some(axes) = axes_of(cell) else { continue };
        for k in 3 * s..3 * s + 3 {
            turn(cells, k, &axes);
        }
        for k in [1, 2, 5] {
            cells[9 * s + k] = 0.0;
        }
        for a in atoms {
            for vectors in &mut vectors {
                turn(vectors, a, &axes);
            }
        }
    }
}

fn is_aligned(cell: &Cell) -> bool {
    [cell[1], cell[2], cell[5]] == [0.0; 3] && cell[0] >= 0.0 && cell[4] >= 0.0
}

/// The new x, y and z axes; none for a cell without volume.
fn axes_of(cell: Cell) -> Option<[Vector; 3]> {
    let rows = completed(cell);
    if !(signed_volume(&rows).abs() > 0.0) {
        return None;
    }
    let x = unit(row(&rows, 0));
    let second = row(&rows, 1);
    let along = dot(x, second);
    let y = unit(sub(second, x.map(|x| along * x)));
    Some([x, y, cross(x, y)])
}

/// The i-th vector in the new axes.
fn turn(vectors: &mut [f32], i: usize, axes: &[Vector; 3]) {
    let old = vector(vectors, i);
    put(vectors, i, axes.map(|axis| dot(old, axis)));
}
