/**
 * Two lists of values of one quantity, and the statistics of their differences.
 *
 * @module
 */

/** Values of a quantity in A and in B. */
export interface Pair {
  /** Name of the quantity, by which `--tolerance` knows it. */
  readonly quantity: string;
  /** Unit; an empty text for a number. */
  readonly unit: string;
  readonly a: readonly number[];
  readonly b: readonly number[];
  /** Returns a description of the place of a value, such as the structure and the atom. */
  readonly where: (index: number) => string;
}

/** Statistics of the differences B − A, in the unit of the pair. */
export interface Parity {
  readonly quantity: string;
  readonly unit: string;
  /** Number of values, the ones that are not finite included. */
  readonly n: number;
  /** Mean absolute difference. */
  readonly mae: number;
  /** Root of the mean square difference. */
  readonly rmse: number;
  /** Largest absolute difference; not finite if a value is not finite in A or in B alone. */
  readonly max: number;
  /** Place of the largest difference. */
  readonly where: string;
  /** Mean difference. */
  readonly bias: number;
}

/**
 * Returns the statistics of a pair. Values that are equal without being finite, such as two NaN, do not differ. If a
 * value is not finite on one side alone, no statistics are finite, and `where` is its place.
 */
export function parityOf({ quantity, unit, a, b, where }: Pair): Parity {
  let absolute = 0, square = 0, sum = 0, max = -1, at = 0;
  for (const [i, value] of a.entries()) {
    const difference = Object.is(value, b[i]) ? 0 : b[i]! - value;
    absolute += Math.abs(difference);
    square += difference ** 2;
    sum += difference;
    if (Number.isNaN(max) || Math.abs(difference) <= max) continue;
    [max, at] = [Math.abs(difference), i];
  }
  const n = a.length;
  return {
    quantity,
    unit,
    n,
    mae: absolute / n,
    rmse: Math.sqrt(square / n),
    max,
    where: max === 0 ? "" : where(at),
    bias: sum / n,
  };
}
