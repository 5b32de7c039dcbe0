import { BOLTZMANN } from "../../../../kernels/constants.ts";
import { Stream } from "../../../../kernels/philox.ts";
import type { Pass, Scratch, Shader } from "../../program/shader.ts";

const TOUCH = /* wgsl */ `
// 1 - exp(-x), accurate where x is small, too: Horner's form of the series, or the function itself.
fn lost_of(x: f32) -> f32 {
  if (x > 0.5) { return 1.0 - exp(-x); }
  var sum = 1.0;
  for (var n = 9.0; n > 1.0; n -= 1.0) { sum = 1.0 - x / n * sum; }
  return x * sum;
}

fn touch(s: u32, a: u32) {
  let lost = friction[s] * dt[s];
  let keep = 1.0 - lost_of(lost);
  let energy = lost_of(2.0 * lost) * ${BOLTZMANN} * temperature[s];
  let counter = vec4<u32>(a - first_of(s), u32(ages[s]), u32(ids[s]), ${Stream.THERMOSTAT}u);
  let noise = three_gaussians(philox(counter, vec2<u32>(params.seedLow, params.seedHigh)));
  let width = sqrt(energy * weights[a]);
  for (var k = 0u; k < 3u; k++) {
    velocities[3u * a + k] = keep * velocities[3u * a + k] + width * noise[k];
  }
}
`;

const ALONE: Pass = {
  per: "atom",
  code: /* wgsl */ `${TOUCH}
fn atom(s: u32, a: u32) {
  if (friction[s] != 0.0) { touch(s, a); }
}`,
};

/** Passes that do the same as `ALONE` and also sum the removed energy, per tile and then per system. */
const COUNTED: readonly Pass[] = [{
  per: "tile",
  code: /* wgsl */ `${TOUCH}
fn velocity_of(a: u32) -> vec3<f32> {
  return vec3<f32>(velocities[3u * a], velocities[3u * a + 1u], velocities[3u * a + 2u]);
}

fn tile(s: u32, t: u32, a: u32, lane: u32) {
  var taken = wide(0.0);
  if (friction[s] != 0.0 && a < first_of(s + 1u)) {
    let before = velocity_of(a);
    touch(s, a);
    let after = velocity_of(a);
    if (weights[a] != 0.0) { taken = wide(0.5 * dot(before - after, before + after) / weights[a]); }
  }
  taken = sum_of_lanes(lane, taken);
  if (lane == 0u) { partials[t] = taken; }
}`,
}, {
  per: "system",
  changes: ["bathEnergy"],
  code: /* wgsl */ `
fn system(s: u32) {
  var sum = bathEnergy[s];
  let end = tiles_of(s + 1u);
  for (var t = tiles_of(s); t < end; t++) { sum = wide_add(sum, partials[t]); }
  bathEnergy[s] = sum;
}`,
}];

/** WGSL version of the kernel in src/kernels/thermostats/thermalize.ts. */
export const thermalize: Shader = {
  words: { seedLow: "u32", seedHigh: "u32" },
  scratch: ({ has, tiles }): Record<string, Scratch> =>
    has("bathEnergy") ? { partials: { type: "vec2<f32>", length: tiles } } : {},
  passes: ({ has }) => has("bathEnergy") ? COUNTED : [ALONE],
};
