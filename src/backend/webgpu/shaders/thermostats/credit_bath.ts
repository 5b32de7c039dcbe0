import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/thermostats/credit_bath.ts. */
export const creditBath: Shader = {
  passes: () => [{
    per: "group",
    code: /* wgsl */ `
fn group(s: u32, lane: u32) {
  var taken = wide(0.0);
  let end = first_of(s + 1u);
  for (var a = first_of(s) + lane; a < end; a += LANES) {
    if (weights[a] == 0.0) { continue; }
    let b = vec3<f32>(before[3u * a], before[3u * a + 1u], before[3u * a + 2u]);
    let v = vec3<f32>(velocities[3u * a], velocities[3u * a + 1u], velocities[3u * a + 2u]);
    taken = wide_add(taken, wide(0.5 * dot(b - v, b + v) / weights[a]));
  }
  taken = sum_of_lanes(lane, taken);
  if (lane == 0u) { bathEnergy[s] = wide_add(bathEnergy[s], taken); }
}`,
  }],
};
