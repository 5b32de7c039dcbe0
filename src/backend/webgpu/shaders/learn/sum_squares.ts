import type { Shader } from "../../program/shader.ts";

/**
 * WGSL version of the kernel in src/kernels/learn/sum_squares.ts. It sums per tile, then per system, because a system
 * can have millions of numbers. Numbers that are not finite are detected by their bits: the low half of a wide sum
 * would turn infinity into NaN.
 */
export const sumSquares: Shader = {
  scratch: ({ tiles }) => ({ partials: { type: "vec2<f32>", length: tiles } }),
  passes: () => [
    {
      per: "tile",
      code: /* wgsl */ `
fn tile(s: u32, t: u32, a: u32, lane: u32) {
  var term = wide(0.0);
  if (a < first_of(s + 1u)) { term = two_product(values[a], values[a]); }
  let largest = largest_of_lanes(lane, size_bits(term.x));
  term = sum_of_lanes(lane, term);
  if (largest >= INFINITE) { term = wide(from_bits(largest)); }
  if (lane == 0u) { partials[t] = term; }
}`,
    },
    {
      per: "group",
      always: true,
      code: /* wgsl */ `
fn group(s: u32, lane: u32) {
  if (moving[s] == 0) {
    if (lane == 0u) { squares[s] = wide(0.0); }
    return;
  }
  var sum = wide(0.0);
  var largest = 0u;
  let end = tiles_of(s + 1u);
  for (var t = tiles_of(s) + lane; t < end; t += LANES) {
    sum = wide_add(sum, partials[t]);
    largest = max(largest, size_bits(partials[t].x));
  }
  largest = largest_of_lanes(lane, largest);
  sum = sum_of_lanes(lane, sum);
  if (largest >= INFINITE) { sum = wide(from_bits(largest)); }
  if (lane == 0u) { squares[s] = sum; }
}`,
    },
  ],
};
