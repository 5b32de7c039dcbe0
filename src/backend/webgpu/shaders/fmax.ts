import type { Shader } from "../shader.ts";

/** See src/kernels/fmax.ts. Sizes are compared by their bits, of which those of what is no number are the largest. */
export const fmax: Shader = {
  passes: () => [{
    per: "group",
    always: true,
    code: /* wgsl */ `
fn group(s: u32, lane: u32) {
  var largest = 0u;
  for (var a = first_of(s) + lane; a < first_of(s + 1u); a += LANES) {
    let f = vec3<f32>(forces[3u * a], forces[3u * a + 1u], forces[3u * a + 2u]);
    var bits = size_bits(dot(f, f));
    if (is_nan(f.x) || is_nan(f.y) || is_nan(f.z)) { bits = NOT_A_NUMBER; }
    largest = max(largest, bits);
  }
  largest = largest_of_lanes(lane, largest);
  if (lane > 0u) { return; }
  if (largest >= INFINITE) { fmax[s] = wide(from_bits(largest)); } else { fmax[s] = wide(sqrt(from_bits(largest))); }
}`,
  }],
};
