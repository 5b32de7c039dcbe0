import type { OnnxLists } from "../onnx_part.ts";

/** Copies the edges and triplets of some systems of a batch, with new indices. Its memory is reused at each step. */
export class ChosenLists {
  readonly #ofNodes: Int32Array;
  readonly #ofSystems: Int32Array;
  #copy: OnnxLists | undefined;
  /** New index of each edge. It is not defined for the edges of systems that are left out. */
  #places = new Int32Array(0);

  /**
   * Creates empty lists.
   *
   * @param ofNodes new index of each atom, in ascending order; −1 for atoms that are left out
   * @param ofSystems new index of each system; −1 for systems that are left out
   */
  constructor(ofNodes: Int32Array, ofSystems: Int32Array) {
    this.#ofNodes = ofNodes;
    this.#ofSystems = ofSystems;
  }

  /**
   * Returns the edges and triplets of the systems that are not left out, sorted by atom as before. The lists are valid
   * until the next call.
   */
  copy(lists: OnnxLists): OnnxLists {
    const to = this.#copyAs(lists);
    to.counts[0] = this.#copyEdges(lists, to);
    to.counts[1] = this.#copyTriplets(lists, to);
    return to;
  }

  /** Returns memory as long as that of the lists, so that the second rows begin at the same indices. */
  #copyAs({ index, shifts, systems, centers, triplets }: OnnxLists): OnnxLists {
    const last = this.#copy;
    const isAsLong = last?.index.length === index.length &&
      last.triplets.length === triplets.length;
    if (isAsLong) return last!;
    this.#places = new Int32Array(systems.length);
    return this.#copy = {
      counts: new Int32Array(2),
      index: new Int32Array(index.length),
      shifts: shifts.slice(),
      systems: new Int32Array(systems.length),
      centers: new Int32Array(centers.length),
      triplets: new Int32Array(triplets.length),
    };
  }

  /** Copies the edges, and returns their number. */
  #copyEdges({ counts, index, shifts, systems }: OnnxLists, to: OnnxLists): number {
    const ofNodes = this.#ofNodes, row = index.length / 2, end = counts[0]!;
    let count = 0;
    // hot
    for (let e = 0; e < end; e++) {
      const source = ofNodes[index[e]!]!;
      if (source === -1) continue;
      to.index[count] = source;
      to.index[row + count] = ofNodes[index[row + e]!]!;
      to.systems[count] = this.#ofSystems[systems[e]!]!;
      for (let d = 0; d < 3; d++) to.shifts[3 * count + d] = shifts[3 * e + d]!;
      this.#places[e] = count++;
    }
    return count;
  }

  /** Copies the triplets, and returns their number. */
  #copyTriplets({ counts, centers, triplets }: OnnxLists, to: OnnxLists): number {
    const places = this.#places, row = triplets.length / 2, end = counts[1]!;
    let count = 0;
    // hot
    for (let t = 0; t < end; t++) {
      const center = this.#ofNodes[centers[t]!]!;
      if (center === -1) continue;
      to.centers[count] = center;
      to.triplets[count] = places[triplets[t]!]!;
      to.triplets[row + count++] = places[triplets[row + t]!]!;
    }
    return count;
  }
}
