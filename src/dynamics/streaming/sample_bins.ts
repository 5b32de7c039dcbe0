/**
 * Samples grouped by size.
 *
 * @module
 */

import { seedWords } from "../../batch/seed.ts";
import { philox } from "../../kernels/philox.ts";
import { NAME, type SamplerOptions } from "./sampler_options.ts";

/** Samples of similar size. */
export interface Bin {
  /** Indices of the samples in the source, in the order in which they are taken. */
  readonly order: Int32Array;
  /** Smallest number of atoms of a sample in this bin. */
  readonly fewest: number;
  /** Index in `order` before which all samples are taken. */
  head: number;
}

/** Groups samples into bins of similar numbers of atoms. The bin with the largest samples comes first. */
export function binned(atoms: Int32Array, options: SamplerOptions): Bin[] {
  const { binWidth = 1, shuffle = false, seed = 0 } = options;
  const order = Int32Array.from(atoms, (_, index) => index);
  if (shuffle) shuffled(order, seed);
  const bins = new Map<number, number[]>();
  for (const index of order) {
    const bin = Math.floor(atoms[index]! / binWidth);
    const known = bins.get(bin);
    if (known === undefined) bins.set(bin, [index]);
    else known.push(index);
  }
  return [...bins].sort(([a], [b]) => b - a).map(([, places]) => ({
    order: Int32Array.from(places),
    fewest: places.reduce((least, index) => Math.min(least, atoms[index]!), Infinity),
    head: 0,
  }));
}

/**
 * Shuffles a list in place by the algorithm of Fisher and Yates. The random number of the k-th swap depends only on
 * `seed` and k.
 */
function shuffled(order: Int32Array, seed: number): void {
  const [low, high] = seedWords(seed, `make ${NAME}`);
  const words = new Uint32Array(4);
  for (let k = order.length - 1; k > 0; k--) {
    philox(k, 0, 0, ORDER, low, high, words);
    const other = Math.floor((words[0]! / 2 ** 32) * (k + 1));
    [order[k], order[other]] = [order[other]!, order[k]!];
  }
}

/** Last word of the random number counter ("samp"), which no other random numbers of this package use. */
const ORDER = 0x73616d70;
