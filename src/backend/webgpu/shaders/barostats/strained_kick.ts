import type { Shader } from "../../program/shader.ts";
import { FLOW, SOLVE_STRAIN, strainScratch } from "../../wgsl/strain.ts";

/** WGSL version of the kernel in src/kernels/barostats/strained_kick.ts. */
export const strainedKick: Shader = {
  scratch: strainScratch,
  passes: () => [{
    per: "system",
    code: /* wgsl */ `${SOLVE_STRAIN}
fn system(s: u32) {
  let time = 0.5 * dt[s];
  let k = 9u * s;
  var all = 0.0;
  if (freedom[s] > 0) { all = (rate[k].x + rate[k + 4u].x + rate[k + 8u].x) / f32(freedom[s]); }
  let x = vec3<f32>(rate[k].x + all, rate[k + 1u].x, rate[k + 2u].x);
  let y = vec3<f32>(rate[k + 3u].x, rate[k + 4u].x + all, rate[k + 5u].x);
  let z = vec3<f32>(rate[k + 6u].x, rate[k + 7u].x, rate[k + 8u].x + all);
  solve_strain(s, mat3x3<f32>(-time * x, -time * y, -time * z), time);
}`,
  }, {
    per: "atom",
    code: /* wgsl */ `${FLOW}
fn atom(s: u32, a: u32) {
  let k = 3u * a;
  let v = vec3<f32>(velocities[k], velocities[k + 1u], velocities[k + 2u]);
  let push = weights[a] * vec3<f32>(forces[k], forces[k + 1u], forces[k + 2u]);
  let by = flowed(s, v, push);
  for (var i = 0u; i < 3u; i++) { velocities[k + i] = v[i] + by[i]; }
}`,
  }],
};
