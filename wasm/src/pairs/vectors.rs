//! Three vectors of lanes: x, y and z of four atoms.

use crate::lanes::F4;

/// One vector of lanes for each direction.
pub type V3 = [F4; 3];

pub const ZERO: V3 = [F4::new(0.0, 0.0, 0.0, 0.0); 3];

/// The sums over each of four vectors, in the order of the vectors.
#[inline(always)]
pub fn sums(vectors: [F4; 4]) -> F4 {
    let [a, b, c, d] = F4::transpose(vectors);
    (a + b) + (c + d)
}

/// The square of the distance, lane by lane.
#[inline(always)]
pub fn square(a: &V3, b: &V3) -> F4 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}
