/**
 * Neighbor lists of systems and batches, as edges or as a matrix, for analysis and for models.
 *
 * @example
 * ```ts
 * import { Batch, System } from "@hooke/hooke/batch";
 * import { buildNeighborList } from "@hooke/hooke/batch/neighbors";
 * import { assertEquals } from "@std/assert";
 *
 * const dimer = new System({ symbols: ["Ar", "Ar"], positions: [[0, 0, 0], [3.8, 0, 0]] });
 * assertEquals(buildNeighborList(Batch.from([dimer]), { cutoff: 5 }).count, 2);
 * ```
 *
 * @module
 */

export type { NeighborEdges } from "./edges.ts";
export type { NeighborMatrix } from "./matrix.ts";
export type { Neighbors } from "./neighbor_list.ts";
export { buildNeighborList, NeighborList } from "./neighbor_list.ts";
export type {
  NeighborFormat,
  NeighborListOptions,
  NeighborMatrixOptions,
  NeighborOptions,
} from "./options.ts";
export type { NeighborSource } from "./source.ts";
