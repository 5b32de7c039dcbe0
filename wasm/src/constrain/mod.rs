//! What holds atoms, centers and bonds.

pub mod bonds;
pub mod center;

/// Returns whether an atom is fixed in a direction.
pub fn is_held(held: Option<&[i32]>, atom: usize, axis: usize) -> bool {
    held.is_some_and(|held| (held[atom] >> axis) & 1 != 0)
}

/// x += by; what rounding takes off goes into `low`, where there is one.
pub fn add_to(x: &mut f32, low: Option<&mut f32>, by: f64) {
    let sum = *x as f64 + by + low.as_ref().map_or(0.0, |low| **low as f64);
    *x = sum as f32;
    if let Some(low) = low {
        *low = (sum - *x as f64) as f32;
    }
}
