/**
 * Radial distributions from a sample of the atoms.
 *
 * @module
 */

/** Largest distance, Å, and number of bins. */
const CUTOFF = 8, BINS = 100;

/** Atoms around which pairs are counted in each frame. All atoms in turn. */
const CENTERS = 8;

/** Numbers that can be copied whole, as typed arrays can. */
export interface Sliced {
  slice(start: number, end: number): ArrayLike<number>;
}

/**
 * Radial distribution of one system that is periodic in all directions, averaged over frames. Unlike
 * `RadialDistributionHook` it counts the pairs of a few atoms in each frame, in time that grows with the number of atoms
 * only.
 */
export class PairSample {
  readonly #counts = new Float64Array(BINS);
  #cutoff = Infinity;
  /** Sum over centers of the density of the other atoms, 1/Å³. */
  #density = 0;
  #next = 0;

  /**
   * Counts the pairs of a frame: g(r) = n(r) / (Σ N/V · 4/3 π ((r + Δ/2)³ − (r − Δ/2)³)), with the sum over all centers.
   * The distances end at half of the smallest width of the cell, up to which the nearest image is the only one.
   */
  add(positions: Sliced, cell: ArrayLike<number>, atoms: number): void {
    const h = Float64Array.from({ length: 9 }, (_, i) => cell[i]!);
    const { inverse, volume, width } = latticeOf(h);
    if (Math.min(CUTOFF, width / 2) < this.#cutoff) this.#restart(Math.min(CUTOFF, width / 2));
    const r2 = this.#cutoff ** 2, scale = BINS / this.#cutoff;
    const x = new Float64Array(positions.slice(0, 3 * atoms));
    for (let c = 0; c < CENTERS; c++) {
      const i = 3 * this.#next;
      this.#next = (this.#next + 1) % atoms;
      for (let j = 0; j < x.length; j += 3) {
        if (j === i) continue;
        const dx = x[j]! - x[i]!, dy = x[j + 1]! - x[i + 1]!, dz = x[j + 2]! - x[i + 2]!;
        let a = dx * inverse[0]! + dy * inverse[3]! + dz * inverse[6]!;
        let b = dx * inverse[1]! + dy * inverse[4]! + dz * inverse[7]!;
        let e = dx * inverse[2]! + dy * inverse[5]! + dz * inverse[8]!;
        a -= Math.floor(a + 0.5), b -= Math.floor(b + 0.5), e -= Math.floor(e + 0.5);
        const u = a * h[0]! + b * h[3]! + e * h[6]!,
          v = a * h[1]! + b * h[4]! + e * h[7]!,
          w = a * h[2]! + b * h[5]! + e * h[8]!;
        const d2 = u * u + v * v + w * w;
        if (d2 < r2) this.#counts[Math.floor(Math.sqrt(d2) * scale)]!++;
      }
    }
    this.#density += CENTERS * atoms / volume;
  }

  /** Returns the centers of the bins, Å, and the distribution, which is 1 for an ideal gas. */
  result(): { readonly r: number[]; readonly g: number[] } {
    const width = this.#cutoff / BINS;
    const shell = (i: number) => 4 / 3 * Math.PI * width ** 3 * ((i + 1) ** 3 - i ** 3);
    return {
      r: Array.from(this.#counts, (_, i) => (i + 0.5) * width),
      g: Array.from(this.#counts, (count, i) => count / (this.#density * shell(i))),
    };
  }

  #restart(cutoff: number): void {
    this.#cutoff = cutoff;
    this.#counts.fill(0);
    this.#density = 0;
  }
}

/** Returns the inverse of a cell with rows a, b, c, its volume, and its smallest width. */
function latticeOf(
  h: Float64Array,
): { readonly inverse: Float64Array; readonly volume: number; readonly width: number } {
  const cross = (i: number, j: number) => [
    h[3 * i + 1]! * h[3 * j + 2]! - h[3 * i + 2]! * h[3 * j + 1]!,
    h[3 * i + 2]! * h[3 * j]! - h[3 * i]! * h[3 * j + 2]!,
    h[3 * i]! * h[3 * j + 1]! - h[3 * i + 1]! * h[3 * j]!,
  ];
  const normals = [cross(1, 2), cross(2, 0), cross(0, 1)];
  const determinant = normals[0]!.reduce((sum, value, k) => sum + value * h[k]!, 0);
  const volume = Math.abs(determinant);
  const inverse = new Float64Array(9);
  for (const [i, normal] of normals.entries()) {
    for (let k = 0; k < 3; k++) inverse[3 * k + i] = normal[k]! / determinant;
  }
  return { inverse, volume, width: Math.min(...normals.map((n) => volume / Math.hypot(...n))) };
}
