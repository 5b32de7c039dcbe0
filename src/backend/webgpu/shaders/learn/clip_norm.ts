import { TINY_NORM } from "../../../../kernels/learn/clip_norm.ts";
import type { Shader } from "../../program/shader.ts";

/**
 * WGSL version of the kernel in src/kernels/learn/clip_norm.ts. The first pass computes the common factor; it is 1 if
 * nothing is clipped.
 */
export const clipNorm: Shader = {
  words: { tiny: "wide" },
  derived: () => ({ tiny: TINY_NORM }),
  scratch: () => ({ scale: { type: "f32", length: 1 } }),
  passes: () => [
    {
      per: "group",
      always: true,
      code: /* wgsl */ `
fn group(s: u32, lane: u32) {
  if (s > 0u) { return; }
  var sum = wide(0.0);
  var largest = 0u;
  for (var i = lane; i < params.systems; i += LANES) {
    sum = wide_add(sum, squares[i]);
    largest = max(largest, size_bits(squares[i].x));
  }
  largest = largest_of_lanes(lane, largest);
  sum = sum_of_lanes(lane, sum);
  if (lane > 0u) { return; }
  scale[0] = 1.0;
  if (largest >= INFINITE || size_bits(sum.x) >= INFINITE) { return; }
  let norm = wide_add(wide_root(sum), vec2<f32>(params.tiny, params.tiny_low));
  if (wide_less(wide(limit[0]), norm)) { scale[0] = wide_divide(wide(limit[0]), norm).x; }
}`,
    },
    {
      per: "atom",
      code: /* wgsl */ `
fn atom(s: u32, a: u32) {
  let by = scale[0];
  if (by < 1.0) { values[a] *= by; }
}`,
    },
  ],
};
