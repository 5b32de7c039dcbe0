import { ACCELERATION } from "../../../../kernels/constants.ts";
import { Fire2Parameter as P } from "../../../../kernels/relax/fire2_step.ts";
import { CELL_SUMS } from "./fire_step.ts";
import type { Shader } from "../../program/shader.ts";
import { parameterOf } from "../../wgsl/settings.ts";

/** WGSL version of the kernel in src/kernels/relax/fire2_step.ts. */
export const fire2Step: Shader = {
  passes: ({ has }) => [{
    per: "group",
    changes: has("cellPositions") ? ["cellPositions", "cellVelocities"] : [],
    code: /* wgsl */ `${parameterOf(P.LENGTH)}
fn group(s: u32, lane: u32) {
  let first = 3u * first_of(s);
  let end = 3u * first_of(s + 1u);
  var step = dt[s];
  var mixing = alpha[s];
  var count = positive[s];
  let kick = step.x * ${ACCELERATION};
  var power = wide(0.0);
  var vv = wide(0.0);
  var ff = wide(0.0);
  for (var k = first + 3u * lane; k < end; k += 3u * LANES) {
    for (var i = k; i < k + 3u; i++) {
      let v = opaque(velocities[i] + kick * forces[i]);
      velocities[i] = v;
      power = wide_add(power, two_product(v, forces[i]));
      vv = wide_add(vv, two_product(v, v));
      ff = wide_add(ff, two_product(forces[i], forces[i]));
    }
  }
  ${has("cellPositions") ? CELL_KICK + CELL_SUMS : ""}
  power = sum_of_lanes(lane, power);
  vv = sum_of_lanes(lane, vv);
  ff = sum_of_lanes(lane, ff);
  let is_huge = size_bits(vv.x) >= INFINITE || size_bits(ff.x) >= INFINITE;
  let is_downhill = power.x > 0.0 && !is_huge;
  if (is_downhill) {
    count += 1;
    if (f32(count) > parameter(s, ${P.DELAY}u).x) {
      step = wide_min(wide_multiply(step, parameter(s, ${P.DT_GROW}u)), parameter(s, ${P.DT_MAX}u));
      mixing = wide_multiply(mixing, parameter(s, ${P.ALPHA_SHRINK}u));
    }
  } else {
    count = 0;
    step = wide_max(wide_multiply(step, parameter(s, ${P.DT_SHRINK}u)), parameter(s, ${P.DT_MIN}u));
    mixing = parameter(s, ${P.ALPHA_START}u);
  }
  var keep = 1.0 - mixing.x;
  var steer = 0.0;
  if (is_huge) {
    // Squares are beyond float32: the system starts anew along its forces, and scale limits how far it goes.
    keep = 0.0;
    steer = 1e-20;
  } else if (ff.x > 0.0) { steer = mixing.x * sqrt(vv.x / ff.x); }
  var largest = 0u;
  for (var k = first + 3u * lane; k < end; k += 3u * LANES) {
    let f = vec3<f32>(forces[k], forces[k + 1u], forces[k + 2u]);
    let v = keep * vec3<f32>(velocities[k], velocities[k + 1u], velocities[k + 2u]) + steer * f;
    for (var i = 0u; i < 3u; i++) { velocities[k + i] = v[i]; }
    largest = max(largest, size_bits(dot(v, v)));
  }
  ${has("cellPositions") ? CELL_MIX : ""}
  largest = largest_of_lanes(lane, largest);
  var longest = step;
  if (!is_downhill && !is_huge) { longest = -0.5 * step; }
  let far = abs(longest.x) * sqrt(from_bits(largest));
  let most = parameter(s, ${P.MAX_STEP}u);
  var scale = wide(1.0);
  if (far > most.x) { scale = wide_divide(most, wide(far)); }
  let length = scale.x * longest.x;
  for (var k = first + 3u * lane; k < end; k += 3u * LANES) {
    for (var i = k; i < k + 3u; i++) {
      positions[i] += length * velocities[i];
      if (!is_downhill) { velocities[i] = 0.0; }
    }
  }
  ${has("cellPositions") ? CELL_STEP : ""}
  if (lane == 0u) {
    dt[s] = wide_multiply(step, scale);
    alpha[s] = mixing;
    positive[s] = count;
  }
}`,
  }],
};

/** Moves the cell as one more atom with nine coordinates, in the lane that computes this atom. */
const CELL_KICK = /* wgsl */ `
  if (lane == LANES - 1u) {
    for (var k = 9u * s; k < 9u * s + 9u; k++) {
      cellVelocities[k] = opaque(cellVelocities[k] + kick * cellForces[k]);
    }
  }`;

const CELL_MIX = /* wgsl */ `
  if (lane == LANES - 1u) {
    var square = 0.0;
    for (var k = 9u * s; k < 9u * s + 9u; k++) {
      let v = keep * cellVelocities[k] + steer * cellForces[k];
      cellVelocities[k] = v;
      square += v * v;
    }
    largest = max(largest, size_bits(square / max(1.0, f32((end - first) / 3u))));
  }`;

const CELL_STEP = /* wgsl */ `
  if (lane == LANES - 1u) {
    for (var k = 9u * s; k < 9u * s + 9u; k++) {
      cellPositions[k] += length * cellVelocities[k];
      if (!is_downhill) { cellVelocities[k] = 0.0; }
    }
  }`;
