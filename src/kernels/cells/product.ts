/** Writes the product a b of two 3 × 3 matrices to `out`, and returns `out`, which must not be one of the factors. */
export function product(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  out: Float64Array,
): Float64Array {
  for (let i = 0; i < 9; i += 3) {
    for (let j = 0; j < 3; j++) {
      out[i + j] = a[i]! * b[j]! + a[i + 1]! * b[3 + j]! + a[i + 2]! * b[6 + j]!;
    }
  }
  return out;
}
