/**
 * Origins to which the positions of systems on a backend are relative.
 *
 * float32 has 24 bits. At 1e6 Å from the origin it resolves positions to 0.06 Å, which makes forces wrong. Positions
 * of a system far from the origin are therefore uploaded relative to an origin near the system, which is added in
 * float64 when they are downloaded. For a system near 0 the origin is 0, so nothing changes.
 *
 * An origin only changes when positions are set from outside, so a run gives the same bits no matter how it is
 * divided into calls. The coordinates of an origin are whole numbers of Å, so subtracting them from a float64 does
 * not round.
 *
 * @module
 */

import type { NumericArray } from "../fields/fields.ts";

/**
 * A system has an origin along an axis if its middle is farther from 0 than `EXTENTS` times half its extent plus
 * `DISTANCE`, Å.
 */
const EXTENTS = 2, DISTANCE = 16;

/** Distance from the origin, Å, at which float32 resolves positions only to 6e-5 Å. */
export const TOO_FAR = 1000;

/** Origins, three numbers per system, Å; `undefined` if all are 0. */
export type OriginValues = Float64Array | undefined;

/** The origins of all systems of a batch. */
export class Origins {
  /** True if systems may have origins; otherwise all origins are 0. */
  readonly isKept: boolean;
  readonly #nodeOffsets: Int32Array;
  #values: OriginValues;
  #seen: Float64Array | undefined;

  /** Creates origins that are all 0. If `isKept` is false, they stay 0. */
  constructor(nodeOffsets: Int32Array, isKept: boolean) {
    this.#nodeOffsets = nodeOffsets;
    this.isKept = isKept;
  }

  /**
   * Current origins; `undefined` if all are 0. A change creates a new array, so an array that was read earlier keeps
   * its values.
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

  /** Sets all origins, for example to those of a snapshot. */
  load(values: Float64Array | undefined): void {
    this.#values = values?.some((one) => one !== 0) ? values.slice() : undefined;
  }

  /**
   * Copies the origins of systems from their previous batch. `from` has the slot of each system there, or `undefined`
   * for a new system.
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

  /** Converts absolute positions to positions relative to the origins. Returns the same array if all origins are 0. */
  relative(positions: NumericArray): NumericArray {
    return this.#shifted(positions, this.#values, -1);
  }

  /**
   * Converts positions relative to `origins` to absolute positions. Returns the same array if all origins are 0. It
   * has no default for `origins`, because positions of an earlier state may be relative to other origins than
   * {@linkcode values}.
   */
  absolute(positions: NumericArray, origins: Float64Array | undefined): NumericArray {
    return this.#shifted(positions, origins, 1);
  }

  /**
   * Returns the result of {@linkcode absolute} in an array that the next call overwrites. It allocates nothing, for
   * code that reads positions at every step.
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

  /** Adds `sign` times the origins to positions, in place. */
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

/** Returns the origin of one system, Å. A coordinate is 0 unless the system is far from 0 along this axis. */
export function originOf(positions: ArrayLike<number>, first: number, end: number): number[] {
  return [0, 1, 2].map((k) => {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 3 * first + k; i < 3 * end; i += 3) {
      low = Math.min(low, positions[i]!);
      high = Math.max(high, positions[i]!);
    }
    const middle = (low + high) / 2;
    const isFar = Math.abs(middle) > EXTENTS * (high - low) / 2 + DISTANCE;
    // A system whose positions contain NaN or infinity has the origin 0.
    return isFar && Number.isFinite(middle) ? Math.round(middle) : 0;
  });
}
