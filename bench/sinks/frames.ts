/**
 * Frames to write: atoms anywhere in a box, so that none is packed better than another.
 *
 * @module
 */

import { Batch } from "../../src/batch/mod.ts";

/** Å: the box of 4000 atoms of solid argon. */
const BOX = 52.6;

/** Some frames of one system, with positions, forces and a step. Their numbers are float32 ones. */
export function makeFrames(atoms: number, count: number): Batch[] {
  const random = generator(1);
  return Array.from({ length: count }, () => {
    const batch = Batch.from([{
      numbers: new Int32Array(atoms).fill(18),
      positions: Float32Array.from({ length: 3 * atoms }, () => BOX * random()),
      forces: Float32Array.from({ length: 3 * atoms }, () => random() - 0.5),
      cell: [BOX, BOX, BOX],
    }]);
    batch.set("step", 0, { level: "system", dtype: "i32", fill: -1 });
    return batch;
  });
}

/** Numbers from 0 to 1 by an xorshift generator. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}
