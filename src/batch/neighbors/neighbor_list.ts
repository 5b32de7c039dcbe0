/**
 * Neighbor lists for models.
 *
 * @module
 */

import { Batch } from "../batch.ts";
import { Edges, type NeighborEdges } from "./edges.ts";
import { Matrix, type NeighborMatrix } from "./matrix.ts";
import { NearPairs } from "./near.ts";
import { checkNeighborOptions, type NeighborFormat, type NeighborListOptions } from "./options.ts";
import { type NeighborSource, sourceOf } from "./source.ts";
import { show } from "../../base/show.ts";

/** Result of an update in each format. */
export interface Neighbors {
  /** One edge per pair. */
  readonly coo: NeighborEdges;
  /** One row of neighbors per atom. */
  readonly matrix: NeighborMatrix;
}

/**
 * Neighbor list of a batch for models. Each update follows the moved atoms. The list handles many systems at once,
 * with any cell and periodicity. If the cutoff is longer than the cell, several images of an atom, including images
 * of the same atom, are neighbors.
 *
 * Each system is searched separately, up to the distance `cutoff + skin`. A search is only repeated if an atom has
 * moved by more than half the skin since the last search, the cell has changed, or the system is new. All other
 * updates filter the known pairs, which gives the same list in the same order. Wrapping does not count as a movement
 * if image counters record it; the shifts are corrected.
 *
 * @example Edges, as most models take them
 *
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { NeighborList } from "@hooke/hooke/batch/neighbors";
 * import { assertEquals } from "@std/assert";
 *
 * const chain = Batch.from([
 *   { symbols: ["Ar"], positions: [0, 0, 0], cell: [4, 4, 4], pbc: [true, false, false] },
 *   { symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [3.8, 0, 0]] },
 * ]);
 * const list = new NeighborList({ cutoff: 5 });
 * const { edges, shifts, edgeOffsets } = list.update(chain);
 * assertEquals([...edges], [0, 0, 1, 2].concat([0, 0, 2, 1]));
 * assertEquals([...shifts], [-1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
 * assertEquals([...edgeOffsets], [0, 2, 4]);
 *
 * chain.get("positions")[6] = 5.1;
 * assertEquals(list.update(chain).count, 2);
 * assertEquals(list.builds, [1, 2]);
 * ```
 *
 * @example A matrix, for models of fixed size
 *
 * ```ts
 * import { Batch } from "@hooke/hooke/batch";
 * import { NeighborList } from "@hooke/hooke/batch/neighbors";
 * import { assertEquals } from "@std/assert";
 *
 * const dimer = Batch.from([{ symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [3.8, 0, 0]] }]);
 * const list = new NeighborList({ cutoff: 5, format: "matrix", maxNeighbors: 2 });
 * assertEquals([...list.update(dimer).neighbors], [1, 2, 0, 2]);
 * ```
 */
export class NeighborList<F extends NeighborFormat = "coo"> {
  /** Layout of the list. */
  readonly format: F;
  /** Cutoff radius, Å. Pairs closer than this are listed. */
  readonly cutoff: number;
  /** Additional search distance beyond the cutoff, Å. */
  readonly skin: number;
  readonly #near: NearPairs;
  readonly #output: Edges | Matrix;

  /**
   * Creates a list, which is empty until the first update.
   *
   * @throws {TypeError} if an option is unknown, belongs only to the other format, or is of the wrong kind
   * @throws {RangeError} if a length is not positive and finite, or another value is out of range
   */
  constructor(options: NeighborListOptions<F> & { readonly format?: F | undefined }) {
    const checked = checkNeighborOptions(options);
    this.format = checked.format as F;
    this.cutoff = checked.cutoff;
    this.skin = checked.skin;
    this.#near = new NearPairs(checked);
    this.#output = checked.format === "coo" ? new Edges() : new Matrix(checked);
  }

  /** Neighbors of the last update; empty before the first one. Each update overwrites the arrays of this object. */
  get current(): Neighbors[F] {
    return this.#output as unknown as Neighbors[F];
  }

  /** Number of searches for each system since it was added, by slot. */
  get builds(): number[] {
    return this.#near.systems.map(({ builds }) => builds);
  }

  /**
   * Updates the neighbors for the current positions. It allocates memory only if it searches pairs, or needs more
   * memory than in all earlier updates.
   *
   * @param atoms a batch, or an object with the arrays of its fields in any precision
   * @returns `current`, whose arrays the next update overwrites
   * @throws {TypeError} if the argument is neither a batch nor such an object
   * @throws {RangeError} if an array has a wrong length, a position or a cell is not finite, or an atom has more
   * neighbors than allowed. The message names system and atom, and `current` does not change
   * @throws {Error} if an engine holds the batch; pass the arrays of the engine instead
   */
  update(atoms: Batch | NeighborSource): Neighbors[F] {
    this.#near.update(sourceOf(atoms));
    this.#output.write(this.#near);
    return this.current;
  }

  /**
   * Updates the neighbors, and writes the edges and shifts to the batch. All other fields per edge are removed from
   * the batch.
   *
   * @throws {TypeError} for the matrix format, or if the argument is not a batch
   * @throws {RangeError} as `update` does
   * @throws {Error} if an engine holds the batch
   */
  toBatch(this: NeighborList<"coo">, batch: Batch): void {
    if (!(batch instanceof Batch) || this.format !== "coo") {
      const current = this.format !== "coo" ? this.format : batch;
      throw new TypeError(
        `Cannot write neighbors to a batch: the argument must be a Batch and the format "coo"; got ${
          show(current)
        }`,
      );
    }
    const { count, edges, shifts } = this.update(batch);
    const pairs = new Int32Array(2 * count);
    for (let e = 0; e < count; e++) {
      pairs[2 * e] = edges[e]!;
      pairs[2 * e + 1] = edges[count + e]!;
    }
    batch.setEdges(pairs, shifts);
  }
}

/**
 * Returns the neighbors of a batch for its current positions. `skin` has no effect.
 *
 * @throws {TypeError} as the constructor of `NeighborList` and its `update` do
 * @throws {RangeError} as the constructor of `NeighborList` and its `update` do
 * @throws {Error} if an engine holds the batch
 *
 * @example
 *
 * ```ts
 * import { Batch, fcc } from "@hooke/hooke/batch";
 * import { buildNeighborList } from "@hooke/hooke/batch/neighbors";
 * import { assertEquals } from "@std/assert";
 *
 * const argon = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 1 })]);
 * const { counts } = buildNeighborList(argon, { cutoff: 4, format: "matrix" });
 * assertEquals([...counts], [12, 12, 12, 12]);
 * ```
 */
export function buildNeighborList<F extends NeighborFormat = "coo">(
  atoms: Batch | NeighborSource,
  options: NeighborListOptions<F> & { readonly format?: F | undefined },
): Neighbors[F] {
  const once: object = { ...options, skin: 0 };
  return new NeighborList<F>(once as typeof options).update(atoms);
}
