/**
 * The pairs of a batch that are closer than the cutoff now.
 *
 * @module
 */

import { makePairList, type SystemPairs } from "../../kernels/pairs/pair_list.ts";
import { Candidates, isDue, searchPairs } from "./candidates.ts";
import { keepNear } from "./filter.ts";
import type { CheckedNeighborOptions } from "./options.ts";
import { Room } from "./room.ts";
import type { NeighborSource } from "./source.ts";

/** Pairs that are near: for each atom, places among the candidates of its system. */
export class NearPairs {
  /** The candidates of each system. */
  systems: Candidates[] = [];
  /** The first atom of each system, and the number of atoms. */
  nodeOffsets: Int32Array = new Int32Array(1);
  /** How many pairs each atom is the first of. */
  counts: Int32Array = new Int32Array();
  /** The places of those pairs among the candidates, atom by atom. */
  places: Int32Array = new Int32Array();
  /** How many pairs there are. */
  count = 0;
  /** Grows when systems come, go or change places. */
  generation = 0;
  readonly #search;
  readonly #found: SystemPairs = makePairList(1, 0, 0).systems[0]!;
  readonly #counts = new Room();
  readonly #places = new Room();
  #ids: Int32Array = new Int32Array();

  constructor({ cutoff, skin, half }: CheckedNeighborOptions) {
    this.#search = { cutoff, skin, half, found: this.#found };
  }

  /**
   * Finds what is near now.
   *
   * @throws {RangeError} for atoms and cells that are no numbers
   */
  update(source: NeighborSource): void {
    const { nodeOffsets } = source;
    const size = nodeOffsets.length - 1;
    this.#follow(source, size);
    const search = this.#search;
    let candidates = 0;
    for (let s = 0; s < size; s++) {
      const known = this.systems[s]!;
      if (isDue(known, source, s, search.skin)) searchPairs(known, source, s, search);
      candidates += known.count;
    }
    this.nodeOffsets = nodeOffsets;
    const counts = this.counts = this.#counts.take(nodeOffsets[size]!);
    const places = this.places = this.#places.take(candidates);
    let at = 0;
    for (let s = 0; s < size; s++) {
      const known = this.systems[s]!;
      at = keepNear(known, source, nodeOffsets[s]!, search.cutoff, places, counts, at);
    }
    this.count = at;
  }

  /** Lets what is known of systems follow them to their new places. */
  #follow({ systemId }: NeighborSource, size: number): void {
    let isSame = this.#ids.length === size;
    for (let s = 0; isSame && s < size; s++) isSame = this.#ids[s] === (systemId?.[s] ?? s);
    if (isSame) return;
    const known = new Map(this.systems.map((system, s) => [this.#ids[s]!, system]));
    this.#ids = Int32Array.from({ length: size }, (_, s) => systemId?.[s] ?? s);
    this.systems = Array.from(this.#ids, (id) => {
      const system = known.get(id) ?? new Candidates();
      known.delete(id);
      return system;
    });
    this.generation++;
  }
}
