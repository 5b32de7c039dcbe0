/**
 * Pairs of a batch that are within the cutoff now.
 *
 * @module
 */

import { makePairList, type SystemPairs } from "../../kernels/pairs/pair_list.ts";
import { Candidates, isDue, searchPairs } from "./candidates.ts";
import { keepNear } from "./filter.ts";
import type { CheckedNeighborOptions } from "./options.ts";
import { Room } from "./room.ts";
import type { Info } from "../store.ts";
import type { NeighborSource } from "./source.ts";

/**
 * Candidates of the systems of a batch. Systems are identified by their ids, so a system keeps its candidates when
 * its slot changes.
 */
class TrackedSystems {
  /** The candidates of each system, by slot. */
  all: Candidates[] = [];
  /** Number of times that systems were added, removed or reordered. */
  generation = 0;
  #ids: Int32Array = new Int32Array();

  /** Reorders the candidates to the current order of the systems. A new system gets empty candidates. */
  follow({ systemId }: NeighborSource, size: number): void {
    let isSame = this.#ids.length === size;
    for (let s = 0; isSame && s < size; s++) isSame = this.#ids[s] === (systemId?.[s] ?? s);
    if (isSame) return;
    const known = new Map(this.all.map((system, s) => [this.#ids[s]!, system]));
    this.#ids = Int32Array.from({ length: size }, (_, s) => systemId?.[s] ?? s);
    this.all = Array.from(this.#ids, (id) => {
      const system = known.get(id) ?? new Candidates();
      known.delete(id); // the second system with the same id gets new candidates
      return system;
    });
    this.generation++;
  }
}

/** Pairs of a batch within the cutoff: for each atom, indices among the candidates of its system. */
export class NearPairs {
  /** Index of the first atom of each system, followed by the number of atoms. */
  nodeOffsets: Int32Array = new Int32Array(1);
  /** The `info` of each system of the last update, for error messages. */
  infos: readonly Info[] = [];
  /** Number of pairs in which each atom is the first. */
  counts: Int32Array = new Int32Array();
  /**
   * For each pair, its index among the candidates of its system, ordered by first atom. Only the first `count`
   * elements are valid.
   */
  places: Int32Array = new Int32Array();
  /** Number of pairs. */
  count = 0;
  readonly #search;
  readonly #found: SystemPairs = makePairList(1, 0, 0).systems[0]!;
  readonly #tracked = new TrackedSystems();
  readonly #counts = new Room();
  readonly #places = new Room();

  constructor({ cutoff, skin, half }: CheckedNeighborOptions) {
    this.#search = { cutoff, skin, half, found: this.#found };
  }

  /** The candidates of each system, by slot. */
  get systems(): readonly Candidates[] {
    return this.#tracked.all;
  }

  /** Number of times that systems were added, removed or reordered. */
  get generation(): number {
    return this.#tracked.generation;
  }

  /**
   * Finds the pairs within the cutoff for the current positions.
   *
   * @throws {RangeError} if a position or cell is not finite, or cannot be searched
   */
  update(source: NeighborSource): void {
    const { nodeOffsets } = source;
    const size = nodeOffsets.length - 1;
    this.#tracked.follow(source, size);
    const { systems } = this, search = this.#search;
    let candidates = 0;
    for (let s = 0; s < size; s++) {
      const known = systems[s]!;
      if (isDue(known, source, s, search.skin)) searchPairs(known, source, s, search);
      candidates += known.count;
    }
    this.nodeOffsets = nodeOffsets;
    this.infos = source.infos ?? [];
    const counts = this.counts = this.#counts.take(nodeOffsets[size]!);
    const places = this.places = this.#places.take(candidates);
    let at = 0;
    for (let s = 0; s < size; s++) {
      at = keepNear(systems[s]!, source, nodeOffsets[s]!, search.cutoff, places, counts, at);
    }
    this.count = at;
  }
}
