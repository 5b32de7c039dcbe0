/**
 * Histogram of the distances of pairs of atoms.
 *
 * @module
 */

import { cellVolume } from "../../batch/cell.ts";
import type { NeighborEdges } from "../../batch/neighbors/edges.ts";
import { areNumbers, type Collected } from "./observed_systems.ts";

/** Range of the histogram, and the pairs to count. */
export interface PairChoice {
  /** Largest distance, Å. */
  readonly cutoff: number;
  readonly bins: number;
  /** Atomic numbers of the central atoms and of their neighbors; `undefined` to count all pairs. */
  readonly elements: readonly [number, number] | undefined;
}

/** Atoms of one system in one step. */
export interface PairSample {
  /** Slot of the system in the batch. */
  readonly system: number;
  readonly nodeOffsets: Int32Array;
  readonly positions: Float64Array;
  readonly cell: Float64Array;
  readonly numbers: ArrayLike<number> | undefined;
  /** Half of the pairs: each pair is listed once. */
  readonly pairs: NeighborEdges;
}

/** Histogram of the pairs of one system. */
export class PairHistogram implements Collected {
  readonly #choice: PairChoice;
  /**
   * Number of neighbors of an atom in each bin, summed over samples. `#g` holds the ratio of that number to the
   * number in an ideal gas, also summed over samples.
   */
  readonly #neighbors: Float64Array;
  readonly #g: Float64Array;
  #samples = 0;

  constructor(choice: PairChoice) {
    this.#choice = choice;
    this.#neighbors = new Float64Array(choice.bins);
    this.#g = new Float64Array(choice.bins);
  }

  /** Returns the histogram of a state that `save` returned; `undefined` for any other value. */
  static restore(
    saved: Readonly<Record<string, unknown>>,
    choice: PairChoice,
  ): PairHistogram | undefined {
    const { bins } = choice;
    if (typeof saved.samples !== "number" || !areNumbers(saved, { neighbors: bins, g: bins })) {
      return undefined;
    }
    const one = new PairHistogram(choice);
    one.#neighbors.set(saved.neighbors as Float64Array);
    one.#g.set(saved.g as Float64Array);
    one.#samples = saved.samples;
    return one;
  }

  /** Counts the pairs of a step. */
  add(sample: PairSample): void {
    const { bins, cutoff, elements } = this.#choice;
    const { system, nodeOffsets, numbers, cell } = sample;
    const from = nodeOffsets[system]!, kinds = new Uint8Array(nodeOffsets[system + 1]! - from);
    let [first, second] = [0, 0];
    for (let i = 0; i < kinds.length; i++) {
      const isA = elements === undefined || numbers![from + i] === elements[0];
      const isB = elements === undefined || numbers![from + i] === elements[1];
      kinds[i] = (isA ? 1 : 0) + (isB ? 2 : 0);
      if (isA) first++;
      if (isB) second++;
    }
    this.#samples++;
    if (first === 0 || second === 0) return;
    const counts = new Float64Array(bins);
    countPairs(sample, bins / cutoff, kinds, counts);
    // g = n / (ρ · volume of the shell): the neighbors relative to those of an ideal gas of density ρ.
    const density = second / cellVolume(cell.subarray(9 * system, 9 * system + 9));
    for (let bin = 0; bin < bins; bin++) {
      const neighbors = counts[bin]! / first, width = cutoff / bins;
      const shell = 4 / 3 * Math.PI * ((bin + 1) ** 3 - bin ** 3) * width ** 3;
      this.#neighbors[bin]! += neighbors;
      this.#g[bin]! += neighbors / (density * shell);
    }
  }

  /** Means over all samples. `coordination` is the number of neighbors up to the end of each bin. */
  get result(): { g: Float64Array; coordination: Float64Array; samples: number } {
    const samples = this.#samples;
    let sum = 0;
    const coordination = this.#neighbors.map((count) => (sum += count) / samples);
    return { g: this.#g.map((g) => g / samples), coordination, samples };
  }

  save(): Readonly<Record<string, unknown>> {
    return { samples: this.#samples, neighbors: this.#neighbors.slice(), g: this.#g.slice() };
  }
}

/**
 * Counts pairs by distance. In `kinds` bit 0 marks atoms of the first element, bit 1 those of the second. Each pair
 * is listed once, so both of its directions are counted here: j around i, and i around j.
 */
// hot
function countPairs(
  { system, nodeOffsets, positions, cell, pairs }: PairSample,
  perLength: number,
  kinds: Uint8Array,
  counts: Float64Array,
): void {
  const { count, edges, shifts, edgeOffsets } = pairs;
  const from = nodeOffsets[system]!, h = 9 * system;
  for (let e = edgeOffsets[system]!; e < edgeOffsets[system + 1]!; e++) {
    const i = edges[e]!, j = edges[count + e]!, kindI = kinds[i - from]!, kindJ = kinds[j - from]!;
    const both = (kindI & 1 & kindJ >> 1) + (kindJ & 1 & kindI >> 1);
    if (both === 0) continue;
    const a = shifts[3 * e]!, b = shifts[3 * e + 1]!, c = shifts[3 * e + 2]!;
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const along = positions[3 * j + k]! - positions[3 * i + k]! +
        a * cell[h + k]! + b * cell[h + 3 + k]! + c * cell[h + 6 + k]!;
      square += along * along;
    }
    const bin = Math.floor(Math.sqrt(square) * perLength);
    if (bin < counts.length) counts[bin]! += both;
  }
}
