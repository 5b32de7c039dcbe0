/**
 * Defines a function that returns twice the kinetic energy of a system: the sum of v²/w over its atoms, from
 * `velocities` and `weights`. Every thread gets the sum.
 */
export const TWICE_KINETIC = /* wgsl */ `
fn twice_kinetic(s: u32, lane: u32) -> vec2<f32> {
  var twice = wide(0.0);
  let end = first_of(s + 1u);
  for (var a = first_of(s) + lane; a < end; a += LANES) {
    if (weights[a] == 0.0) { continue; }
    let v = vec3<f32>(velocities[3u * a], velocities[3u * a + 1u], velocities[3u * a + 2u]);
    twice = wide_add(twice, wide(dot(v, v) / weights[a]));
  }
  return sum_of_lanes(lane, twice);
}
`;
