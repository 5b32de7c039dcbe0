import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/modify/clamp_forces.ts. Infinity and NaN are detected by their bits. */
export const clampForces: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `
fn unlimited(x: f32) -> f32 { return select(0.0, select(1.0, -1.0, bitcast<u32>(x) > 0x7fffffffu), is_infinite(x)); }

fn atom(s: u32, a: u32) {
  let k = 3u * a;
  let f = vec3<f32>(forces[k], forces[k + 1u], forces[k + 2u]);
  if (is_nan(f.x) || is_nan(f.y) || is_nan(f.z)) { return; }
  let endless = vec3<f32>(unlimited(f.x), unlimited(f.y), unlimited(f.z));
  let many = dot(endless, endless);
  if (many > 0.0) {
    for (var i = 0u; i < 3u; i++) { forces[k + i] = endless[i] * params.limit / sqrt(many); }
    return;
  }
  // By the largest component, so that no square is too large or too small.
  let largest = max(abs(f.x), max(abs(f.y), abs(f.z)));
  if (largest == 0.0) { return; }
  let direction = f / largest;
  let part = sqrt(dot(direction, direction));
  if (!(part > params.limit / largest)) { return; }
  for (var i = 0u; i < 3u; i++) { forces[k + i] = params.limit * (direction[i] / part); }
}`,
  }],
};
