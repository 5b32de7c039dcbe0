/**
 * Origins to which the positions of each system are relative on a backend.
 *
 * float32 has 24 bits: at 1e6 Å from the origin it knows a position to 0.06 Å, and forces are wrong. So positions of
 * systems that are far away are uploaded relative to an origin of their own, and it is added when they come home, in
 * float64. Systems near the origin have their origin there: nothing changes for them.
 *
 * An origin stays as long as the positions are not set from outside, so that a run has the same bits however it is
 * divided. It is a whole number of Å, so that subtracting it from a float64 rounds nothing off.
 *
 * @module
 */

import type { NumericArray } from "../fields/fields.ts";

/** A system is far away if its middle is so many times its half extent and so many Å from the origin. */
const EXTENTS = 2, DISTANCE = 16;

/** Å from the origin from which float32 knows positions no better than to 6e-5 Å. */
export const TOO_FAR = 1000;

/** Three numbers per system, Å; `undefined` if all are 0. */
export type OriginValues = Float64Array | undefined;

/** The origins of the systems of a batch. */
export class Origins {
  /** True if systems may have origins; else all are 0. */
  readonly isKept: boolean;
  readonly #nodeOffsets: Int32Array;
  #values: OriginValues;

  /** Creates origins of 0. */
  constructor(nodeOffsets: Int32Array, isKept: boolean) {
    this.#nodeOffsets = nodeOffsets;
    this.isKept = isKept;
  }

  /** The current origins. A change makes a new array, so an array that was read earlier keeps its values. */
  get values(): Float64Array | undefined {
    return this.#values;
  }

  /** Chooses origins for some systems by where their atoms are. */
  choose(positions: ArrayLike<number>, systems: Iterable<number>): void {
    if (!this.isKept) return;
    const all = this.#copy();
    for (const s of systems) {
      all.set(originOf(positions, this.#nodeOffsets[s]!, this.#nodeOffsets[s + 1]!), 3 * s);
    }
    this.load(all);
  }

  /** Takes origins over: those of a snapshot. */
  load(values: Float64Array | undefined): void {
    this.#values = values?.some((one) => one !== 0) ? values.slice() : undefined;
  }

  /** Takes over the origins that systems had in another batch: `from` has the place of each there. */
  carry(before: Origins, from: readonly (number | undefined)[]): void {
    if (!this.isKept) return;
    const all = this.#copy();
    for (const [place, old] of from.entries()) {
      if (old === undefined) continue;
      for (let k = 0; k < 3; k++) all[3 * place + k] = before.#values?.[3 * old + k] ?? 0;
    }
    this.load(all);
  }

  /** Returns positions relative to the origins; the array itself if all are 0. */
  relative(positions: NumericArray): NumericArray {
    return this.#shifted(positions, this.#values, -1);
  }

  /** Returns where atoms are, of positions relative to origins; the array itself if all are 0. */
  absolute(
    positions: NumericArray,
    origins: Float64Array | undefined = this.#values,
  ): NumericArray {
    return this.#shifted(positions, origins, 1);
  }

  #shifted(positions: NumericArray, origins: OriginValues, sign: 1 | -1): NumericArray {
    if (origins === undefined) return positions;
    const shifted = Float64Array.from(positions);
    for (let s = 0; 3 * s < origins.length; s++) {
      for (let k = 0; k < 3; k++) {
        const by = sign * origins[3 * s + k]!;
        const end = 3 * this.#nodeOffsets[s + 1]!;
        if (by === 0) continue;
        for (let i = 3 * this.#nodeOffsets[s]! + k; i < end; i += 3) shifted[i]! += by;
      }
    }
    return shifted;
  }

  #copy(): Float64Array {
    return this.#values?.slice() ?? new Float64Array(3 * (this.#nodeOffsets.length - 1));
  }
}

/** Returns the origin of one system: 0 unless it is far away. */
export function originOf(positions: ArrayLike<number>, first: number, end: number): number[] {
  return [0, 1, 2].map((k) => {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 3 * first + k; i < 3 * end; i += 3) {
      low = Math.min(low, positions[i]!);
      high = Math.max(high, positions[i]!);
    }
    const middle = (low + high) / 2;
    const isFar = Math.abs(middle) > EXTENTS * (high - low) / 2 + DISTANCE;
    // NaN is not far away.
    return isFar && Number.isFinite(middle) ? Math.round(middle) : 0;
  });
}
