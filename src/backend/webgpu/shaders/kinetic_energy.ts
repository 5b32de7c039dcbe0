import type { Shader } from "../shader.ts";

/** See src/kernels/kinetic_energy.ts. */
export const kineticEnergy: Shader = {
  passes: () => [{
    per: "group",
    always: true,
    code: /* wgsl */ `
fn group(s: u32, lane: u32) {
  var twice = wide(0.0);
  for (var a = first_of(s) + lane; a < first_of(s + 1u); a += LANES) {
    if (weights[a] == 0.0) { continue; }
    let v = vec3<f32>(velocities[3u * a], velocities[3u * a + 1u], velocities[3u * a + 2u]);
    twice = wide_add(twice, wide(dot(v, v) / weights[a]));
  }
  twice = sum_of_lanes(lane, twice);
  if (lane == 0u) { kinetic[s] = 0.5 * twice; }
}`,
  }],
};
