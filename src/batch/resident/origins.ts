/**
 * Origins to which the positions of each system are relative on a backend.
 *
 * float32 has 24 bits. At 1e6 Å from the origin it resolves positions to 0.06 Å, which makes forces
 * wrong. Positions of systems far from the origin are therefore uploaded relative to an origin of
 * their own, which is added in float64 when they are downloaded. The origin of systems near 0 is 0,
 * so nothing changes for them.
 *
 * An origin does not change until positions are set from outside, so that dividing a run in any way
 * gives the same bits. It is a whole number of Å, so that subtracting it from a float64 does not
 * round.
 *
 * @module
 */

import type { NumericArray } from "../fields/fields.ts";

/**
 * A system is far away if the distance of its middle from the origin exceeds both this multiple of
 * its half extent and this number of Å.
 */
const EXTENTS = 2, DISTANCE = 16;

/** Distance from the origin, Å, from which float32 resolves positions only to 6e-5 Å. */
export const TOO_FAR = 1000;

/** Three numbers per system, Å; `undefined` if all are 0. */
export type OriginValues = Float64Array | undefined;

/** Origins of the systems of a batch. */
export class Origins {
  /** True if systems may have origins; otherwise all origins are 0. */
  readonly isKept: boolean;
  readonly #nodeOffsets: Int32Array;
  #values: OriginValues;
  #seen: Float64Array | undefined;

  /** Creates origins of 0. */
  constructor(nodeOffsets: Int32Array, isKept: boolean) {
    this.#nodeOffsets = nodeOffsets;
    this.isKept = isKept;
  }

  /**
   * Current origins. A change creates a new array, so that an array read earlier keeps its values.
   */
  get values(): Float64Array | undefined {
    return this.#values;
  }

  /** Chooses the origins of some systems from the positions of their atoms. */
  choose(positions: ArrayLike<number>, systems: Iterable<number>): void {
    if (!this.isKept) return;
    const all = this.#copy();
    for (const s of systems) {
      all.set(originOf(positions, this.#nodeOffsets[s]!, this.#nodeOffsets[s + 1]!), 3 * s);
    }
    this.load(all);
  }

  /** Sets the origins to those of a snapshot. */
  load(values: Float64Array | undefined): void {
    this.#values = values?.some((one) => one !== 0) ? values.slice() : undefined;
  }

  /**
   * Copies the origins that systems had in another batch. `from` has the slot of each system there.
   */
  carry(before: Origins, from: readonly (number | undefined)[]): void {
    if (!this.isKept) return;
    const all = this.#copy();
    for (const [place, old] of from.entries()) {
      if (old === undefined) continue;
      for (let k = 0; k < 3; k++) all[3 * place + k] = before.#values?.[3 * old + k] ?? 0;
    }
    this.load(all);
  }

  /** Returns positions relative to the origins, or the array itself if all origins are 0. */
  relative(positions: NumericArray): NumericArray {
    return this.#shifted(positions, this.#values, -1);
  }

  /**
   * Converts positions relative to the origins to absolute positions. Returns the array itself if
   * all origins are 0.
   */
  absolute(
    positions: NumericArray,
    origins: Float64Array | undefined = this.#values,
  ): NumericArray {
    return this.#shifted(positions, origins, 1);
  }

  /**
   * Returns the result of {@linkcode absolute} in an array that the next call overwrites. Readers
   * at every step use it to avoid allocation.
   */
  view(positions: NumericArray): NumericArray {
    if (this.#values === undefined) return positions;
    this.#seen ??= new Float64Array(positions.length);
    this.#seen.set(positions);
    return this.#shift(this.#seen, this.#values, 1);
  }

  #shifted(positions: NumericArray, origins: OriginValues, sign: 1 | -1): NumericArray {
    return origins === undefined
      ? positions
      : this.#shift(Float64Array.from(positions), origins, sign);
  }

  /** Shifts positions in place. */
  #shift(shifted: Float64Array, origins: Float64Array, sign: 1 | -1): Float64Array {
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
    // NaN is not far away
    return isFar && Number.isFinite(middle) ? Math.round(middle) : 0;
  });
}
