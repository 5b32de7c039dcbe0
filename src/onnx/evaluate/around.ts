/** A tensor around one of its axes: so many blocks, each of `length` rows of `inner` elements. */
export interface Around {
  /** How many blocks: the product of the lengths before the axis. */
  readonly outer: number;
  /** The length along the axis. */
  readonly length: number;
  /** Elements from one place on the axis to the next: the product of the lengths behind it. */
  readonly inner: number;
}

/** How many elements a tensor of these lengths has, from one axis up to another. */
export function countBetween(dims: readonly number[], from: number, to: number): number {
  let count = 1;
  for (let axis = from; axis < to; axis++) count *= dims[axis]!;
  return count;
}

/** A tensor around one of its axes. */
export function around(dims: readonly number[], axis: number): Around {
  return {
    outer: countBetween(dims, 0, axis),
    length: dims[axis]!,
    inner: countBetween(dims, axis + 1, dims.length),
  };
}
