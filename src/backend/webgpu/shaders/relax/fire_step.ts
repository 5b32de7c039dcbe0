import { FireParameter as P } from "../../../../kernels/relax/fire_step.ts";
import type { Shader } from "../../program/shader.ts";
import { parameterOf } from "../../wgsl/settings.ts";

/** WGSL version of the kernel in src/kernels/relax/fire_step.ts. */
export const fireStep: Shader = {
  passes: ({ has }) => [{
    per: "group",
    changes: has("cellPositions") ? ["cellPositions", "cellVelocities"] : [],
    code: /* wgsl */ `${parameterOf(P.LENGTH)}
fn group(s: u32, lane: u32) {
  let first = 3u * first_of(s);
  let end = 3u * first_of(s + 1u);
  var power = wide(0.0);
  var vv = wide(0.0);
  var ff = wide(0.0);
  for (var k = first + lane; k < end; k += LANES) {
    power = wide_add(power, two_product(velocities[k], forces[k]));
    vv = wide_add(vv, two_product(velocities[k], velocities[k]));
    ff = wide_add(ff, two_product(forces[k], forces[k]));
  }
  ${has("cellPositions") ? CELL_SUMS : ""}
  power = sum_of_lanes(lane, power);
  vv = sum_of_lanes(lane, vv);
  ff = sum_of_lanes(lane, ff);
  let before = dt[s];
  var after = before;
  var mixing = alpha[s];
  var count = positive[s];
  workgroupBarrier();
  // Where squares are beyond float32, the system starts anew along its forces.
  let is_downhill = power.x > 0.0 && size_bits(vv.x) < INFINITE && size_bits(ff.x) < INFINITE;
  if (is_downhill) {
    count += 1;
    if (f32(count) >= parameter(s, ${P.N_MIN}u).x) {
      after = wide_min(wide_multiply(before, parameter(s, ${P.F_INC}u)), parameter(s, ${P.DT_MAX}u));
      mixing = wide_multiply(mixing, parameter(s, ${P.F_ALPHA}u));
    }
  } else {
    count = 0;
    after = wide_max(wide_multiply(before, parameter(s, ${P.F_DEC}u)), parameter(s, ${P.DT_MIN}u));
    mixing = parameter(s, ${P.ALPHA_START}u);
  }
  if (lane == 0u) {
    dt[s] = after;
    alpha[s] = mixing;
    positive[s] = count;
  }
  var keep = 0.0;
  var steer = 0.0;
  if (is_downhill) {
    keep = 1.0 - mixing.x;
    steer = mixing.x * sqrt(vv.x / ff.x);
  }
  let step = before.x;
  let longest = parameter(s, ${P.MAX_STEP}u).x;
  for (var k = first + 3u * lane; k < end; k += 3u * LANES) {
    let w = step * weights[k / 3u];
    let f = vec3<f32>(forces[k], forces[k + 1u], forces[k + 2u]);
    var v = vec3<f32>(0.0);
    if (is_downhill) {
      v = keep * vec3<f32>(velocities[k], velocities[k + 1u], velocities[k + 2u]) + steer * f;
    }
    v += w * f;
    let far = step * length_of(v);
    var length = step;
    if (far > longest) { length = step * (longest / far); }
    for (var i = 0u; i < 3u; i++) {
      velocities[k + i] = v[i];
      positions[k + i] += length * v[i];
    }
  }
  ${has("cellPositions") ? CELL_STEP : ""}
}`,
  }],
};

/** Adds the forces and velocities of the cell to the sums, in the last lane. */
export const CELL_SUMS = /* wgsl */ `
  if (lane == LANES - 1u) {
    for (var k = 9u * s; k < 9u * s + 9u; k++) {
      power = wide_add(power, two_product(cellVelocities[k], cellForces[k]));
      vv = wide_add(vv, two_product(cellVelocities[k], cellVelocities[k]));
      ff = wide_add(ff, two_product(cellForces[k], cellForces[k]));
    }
  }`;

/** Moves the cell as one more atom with nine coordinates, in the lane that computes this atom. */
const CELL_STEP = /* wgsl */ `
  var weight = wide(0.0);
  for (var a = first / 3u + lane; a < end / 3u; a += LANES) { weight = wide_add(weight, wide(weights[a])); }
  weight = sum_of_lanes(lane, weight);
  if (lane == LANES - 1u) {
    let atoms = max(1.0, f32((end - first) / 3u));
    let w = step * (weight.x / atoms);
    let most = longest * sqrt(atoms);
    var square = 0.0;
    for (var k = 9u * s; k < 9u * s + 9u; k++) {
      var v = 0.0;
      if (is_downhill) { v = keep * cellVelocities[k] + steer * cellForces[k]; }
      v += w * cellForces[k];
      cellVelocities[k] = v;
      square += v * v;
    }
    let far = step * sqrt(square);
    var length = step;
    if (far > most) { length = step * (most / far); }
    for (var k = 9u * s; k < 9u * s + 9u; k++) { cellPositions[k] += length * cellVelocities[k]; }
  }`;
