type Reals = Float32Array | Float64Array;

/** Σ v²/w over some atoms, twice their kinetic energy, eV. An atom of weight 0 cannot be moved and has none. */
export function twiceKinetic(velocities: Reals, weights: Reals, from: number, to: number): number {
  let twice = 0;
  for (let a = from; a < to; a++) {
    if (weights[a] === 0) continue;
    const [x, y, z] = [velocities[3 * a]!, velocities[3 * a + 1]!, velocities[3 * a + 2]!];
    twice += (x * x + y * y + z * z) / weights[a]!;
  }
  return twice;
}
