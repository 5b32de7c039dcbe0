/**
 * Lists of neighbors for models.
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

/** The neighbors that a format gives. */
export interface Neighbors {
  /** One edge per pair. */
  readonly coo: NeighborEdges;
  /** One row of neighbors per atom. */
  readonly matrix: NeighborMatrix;
}

/**
 * Which atoms of a batch are neighbors, followed as they move: for models that take such lists, many systems at
 * once, each with any cell and periodicity or none. A cutoff longer than the cell meets several images of an atom,
 * its own among them.
 *
 * Pairs are searched up to `cutoff + skin`, for a system alone and only when it must be: when one of its atoms has
 * moved by more than half the skin since, or its cell has changed, or it is new. Otherwise the known ones are looked
 * through. Either way the list is the same, in the same order. Wrapping that image counters record is no move, and
 * shifts follow it.
 *
 * @example Edges, as most models take them
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
  /** How neighbors are laid out. */
  readonly format: F;
  /** Pairs closer than this are listed, Å. */
  readonly cutoff: number;
  /** How much further pairs are searched, Å. */
  readonly skin: number;
  readonly #near: NearPairs;
  readonly #output: Edges | Matrix;

  /**
   * A list without neighbors, until it is updated.
   *
   * @throws {TypeError} for an unknown option, one of another format, or one of the wrong kind
   * @throws {RangeError} for lengths that are not positive and finite, and other values that cannot be
   */
  constructor(options: NeighborListOptions<F> & { readonly format?: F | undefined }) {
    const checked = checkNeighborOptions(options);
    this.format = checked.format as F;
    this.cutoff = checked.cutoff;
    this.skin = checked.skin;
    this.#near = new NearPairs(checked);
    this.#output = checked.format === "coo" ? new Edges() : new Matrix(checked);
  }

  /**
   * The neighbors as of the last update: the same object always, empty before the first.
   */
  get current(): Neighbors[F] {
    return this.#output as unknown as Neighbors[F];
  }

  /** How often the pairs of each system were searched since it came, by place. */
  get builds(): number[] {
    return this.#near.systems.map(({ builds }) => builds);
  }

  /**
   * Finds the neighbors as atoms are now. Memory is made only where there was never as much needed before, or pairs
   * are searched.
   *
   * @param atoms a batch, or arrays of its fields in any precision
   * @returns `current`: what the update before gave has changed
   * @throws {TypeError} for what is neither
   * @throws {RangeError} for arrays of wrong lengths, positions and cells that are no numbers, and an atom with more
   * neighbors than there may be, naming system and atom; `current` is as it was then
   * @throws {Error} while an engine holds the batch: give it the engine's arrays
   */
  update(atoms: Batch | NeighborSource): Neighbors[F] {
    this.#near.update(sourceOf(atoms));
    this.#output.write(this.#near);
    return this.current;
  }

  /**
   * Updates, and writes edges and shifts into the batch, where they stay until its edges are set again; its other
   * fields per edge go. Edges lie there pair by pair.
   *
   * @throws {TypeError} for the matrix format, and what is no batch
   * @throws {RangeError} as `update`
   * @throws {Error} while an engine holds the batch
   */
  toBatch(this: NeighborList<"coo">, batch: Batch): void {
    if (!(batch instanceof Batch) || this.format !== "coo") {
      const current = this.format !== "coo" ? this.format : batch;
      throw new TypeError(
        `Cannot write neighbors to a batch as there must be one, and the format must be "coo": current value is ${
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
 * The neighbors in a batch, once; a skin has no effect.
 *
 * @throws {TypeError} as `NeighborList` and its `update` do
 * @throws {RangeError} likewise
 * @throws {Error} while an engine holds the batch
 *
 * @example
 * ```ts
 * import { Batch, fcc } from "@hooke/hooke/batch";
 * import { neighborList } from "@hooke/hooke/batch/neighbors";
 * import { assertEquals } from "@std/assert";
 *
 * const argon = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 1 })]);
 * const { counts } = neighborList(argon, { cutoff: 4, format: "matrix" });
 * assertEquals([...counts], [12, 12, 12, 12]);
 * ```
 */
export function neighborList<F extends NeighborFormat = "coo">(
  atoms: Batch | NeighborSource,
  options: NeighborListOptions<F> & { readonly format?: F | undefined },
): Neighbors[F] {
  const once: object = { ...options, skin: 0 };
  return new NeighborList<F>(once as typeof options).update(atoms);
}
