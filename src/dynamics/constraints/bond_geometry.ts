import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { invertCell } from "../../kernels/cells/inverse.ts";
import { nearest } from "../../kernels/cells/nearest.ts";

/** Distances between the atoms of a batch, for the checks of bonds before a run. */
export class BondGeometry {
  readonly #offsets: Int32Array;
  readonly #positions: ArrayLike<number>;
  readonly #cells: ArrayLike<number>;
  readonly #pbc: ArrayLike<number>;
  readonly #vector = new Float64Array(3);
  readonly #inverse = new Float64Array(9);

  /** Reads the positions and cells: the current values on a host backend, the last copy on a device. */
  constructor(state: ResidentBatch) {
    this.#offsets = state.batch.nodeOffsets;
    this.#positions = state.mirroredField("positions");
    this.#cells = state.mirroredField("cell");
    this.#pbc = state.mirroredField("pbc");
  }

  /**
   * Returns the vector from the first atom of a pair to the nearest image of the second, Å. Each call overwrites the
   * same array.
   */
  vector(system: number, [i, j]: readonly [number, number]): Float64Array {
    const first = this.#offsets[system]!;
    for (let axis = 0; axis < 3; axis++) {
      this.#vector[axis] = this.#positions[3 * (first + j) + axis]! -
        this.#positions[3 * (first + i) + axis]!;
    }
    if (invertCell(this.#cells, 9 * system, this.#inverse)) {
      nearest(this.#vector, this.#inverse, this.#cells, 9 * system, this.#pbc, 3 * system);
    }
    return this.#vector;
  }

  /** Returns the distance from the first atom of a pair to the nearest image of the second, Å. */
  length(system: number, pair: readonly [number, number]): number {
    const [x, y, z] = this.vector(system, pair) as unknown as [number, number, number];
    return Math.sqrt(x * x + y * y + z * z);
  }

  /**
   * Returns half of the smallest height of a system's cell along its periodic directions, Å. A bond shorter than this
   * certainly connects an atom to the nearest image of the other one. Returns Infinity if no direction is periodic or
   * the cell is singular.
   */
  reach(system: number): number {
    const at = 3 * system;
    if (!invertCell(this.#cells, 9 * system, this.#inverse)) return Infinity;
    const heights = [0, 1, 2].filter((k) => this.#pbc[at + k] !== 0).map((k) => {
      const [x, y, z] = [this.#inverse[k]!, this.#inverse[3 + k]!, this.#inverse[6 + k]!];
      return 1 / Math.sqrt(x * x + y * y + z * z);
    });
    return Math.min(Infinity, ...heights) / 2;
  }
}
