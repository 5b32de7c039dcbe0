import { ATTEMPTS } from "../../../../kernels/thermostats/squares.ts";
import { BOLTZMANN } from "../../../../kernels/constants.ts";
import { Stream } from "../../../../kernels/philox.ts";
import type { Shader } from "../../program/shader.ts";
import { GROWTH } from "../../wgsl/growth.ts";
import { TWICE_KINETIC } from "../../wgsl/kinetic.ts";

/** WGSL version of the kernel in src/kernels/thermostats/velocity_rescale.ts. */
export const velocityRescale: Shader = {
  words: { seedLow: "u32", seedHigh: "u32" },
  passes: () => [{
    per: "group",
    code: /* wgsl */ `${GROWTH}${TWICE_KINETIC}
var<workgroup> scaled_by: f32;

fn drawn(s: u32, i: u32) -> vec4<u32> {
  let counter = vec4<u32>(i, u32(ages[s]), u32(ids[s]), ${Stream.RESCALING}u);
  return philox(counter, vec2<u32>(params.seedLow, params.seedHigh));
}

// 3 (ln(1 + t) - t + t^2/2) - t^3: a series where it is small.
fn tail_of(t: f32) -> f32 {
  if (abs(t) > 0.25) { return 3.0 * (logarithm_of(1.0 + t) - t + 0.5 * t * t) - t * t * t; }
  var sum = 0.0;
  for (var n = 16.0; n > 3.0; n -= 1.0) { sum = 1.0 / n - t * sum; }
  return -3.0 * t * t * t * t * sum;
}

fn logarithm_of(x: f32) -> f32 {
  if (x > 1.0) { return -logarithm(1.0 / x, 1.0 - 1.0 / x); }
  return logarithm(x, 1.0 - x);
}

fn squares_of_gaussians(s: u32, count: i32, first: vec3<f32>) -> f32 {
  if (count <= 0) { return 0.0; }
  if (count == 1) { return first.y * first.y; }
  let d = f32(count) / 2.0 - 1.0 / 3.0;
  for (var i = 1u; i <= ${ATTEMPTS}u; i++) {
    let words = drawn(s, i);
    let t = three_gaussians(words).x / sqrt(9.0 * d);
    let root = 1.0 + t;
    if (root <= 0.0) { continue; }
    let whole = words.z >> 1u;
    let u = (f32(whole) + 0.5) * (1.0 / 2147483648.0);
    let rest = (f32(whole ^ 0x7fffffffu) + 0.5) * (1.0 / 2147483648.0);
    if (logarithm(u, rest) < d * tail_of(t)) { return 2.0 * d * root * root * root; }
  }
  return 2.0 * d;
}

fn growth_by(s: u32, twice: f32) -> f32 {
  let first = three_gaussians(drawn(s, 0u));
  let squares = squares_of_gaussians(s, freedom[s] - 1, first);
  let passed = dt[s] / time[s];
  let lost = -growth_of(-passed);
  let fresh = lost * ${BOLTZMANN} * temperature[s] / twice;
  let root = sqrt((1.0 - lost) * fresh);
  let change = max(-1.0, fresh * (first.x * first.x + squares) - lost + 2.0 * first.x * root);
  let alpha = sqrt(1.0 + change);
  if (first.x * fresh + root < 0.0) { return -alpha - 1.0; }
  return change / (1.0 + alpha);
}

fn group(s: u32, lane: u32) {
  if (freedom[s] <= 0) { return; }
  let twice = twice_kinetic(s, lane);
  if (lane == 0u) {
    scaled_by = 0.0;
    if (twice.x > 0.0) {
      let m = growth_by(s, twice.x);
      scaled_by = m;
      let taken = -0.5 * wide_multiply(twice, two_product(m, 2.0 + m));
      bathEnergy[s] = wide_add(bathEnergy[s], taken);
    }
  }
  workgroupBarrier();
  scale_velocities(s, lane, scaled_by);
}`,
  }],
};
