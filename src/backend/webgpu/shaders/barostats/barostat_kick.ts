import { BarostatParameter as P, Coupling } from "../../../../kernels/barostats/barostat_kick.ts";
import type { Shader } from "../../program/shader.ts";
import { EXACT_CELL, INERTIA } from "../../wgsl/strain.ts";

/**
 * WGSL version of the kernel in src/kernels/barostats/barostat_kick.ts. The first pass sums the kinetic tensor: xx,
 * yy, zz, xy, xz, yz.
 */
export const barostatKick: Shader = {
  words: { coupling: "u32" },
  scratch: ({ systems }) => ({ tensor: { type: "vec2<f32>", length: 6 * systems } }),
  passes: () => [{
    per: "group",
    code: /* wgsl */ `
fn group(s: u32, lane: u32) {
  var sums = array<vec2<f32>, 6>();
  let end = first_of(s + 1u);
  for (var a = first_of(s) + lane; a < end; a += LANES) {
    if (weights[a] == 0.0) { continue; }
    let v = vec3<f32>(velocities[3u * a], velocities[3u * a + 1u], velocities[3u * a + 2u]);
    let p = v / weights[a];
    sums[0] = wide_add(sums[0], wide(p.x * v.x));
    sums[1] = wide_add(sums[1], wide(p.y * v.y));
    sums[2] = wide_add(sums[2], wide(p.z * v.z));
    sums[3] = wide_add(sums[3], wide(p.x * v.y));
    sums[4] = wide_add(sums[4], wide(p.x * v.z));
    sums[5] = wide_add(sums[5], wide(p.y * v.z));
  }
  for (var i = 0u; i < 6u; i++) {
    let sum = sum_of_lanes(lane, sums[i]);
    if (lane == 0u) { tensor[6u * s + i] = sum; }
  }
}`,
  }, {
    per: "system",
    code: /* wgsl */ `${EXACT_CELL}
${INERTIA}
fn minor(s: u32, i: u32, j: u32) -> vec2<f32> {
  return wide_add(
    wide_multiply(exact_cell(s, 3u + i), exact_cell(s, 6u + j)),
    -wide_multiply(exact_cell(s, 3u + j), exact_cell(s, 6u + i)),
  );
}

fn exact_volume(s: u32) -> vec2<f32> {
  var volume = wide_multiply(exact_cell(s, 0u), minor(s, 1u, 2u));
  volume = wide_add(volume, wide_multiply(exact_cell(s, 1u), minor(s, 2u, 0u)));
  volume = wide_add(volume, wide_multiply(exact_cell(s, 2u), minor(s, 0u, 1u)));
  if (volume.x < 0.0) { return -volume; }
  return volume;
}

fn system(s: u32) {
  let k = 9u * s;
  let t = 6u * s;
  let work = wide_multiply(parameter(s, ${P.PRESSURE}u), exact_volume(s));
  let f = f32(freedom[s]);
  var more = -work;
  if (f > 0.0) {
    let trace = wide_add(tensor[t], wide_add(tensor[t + 1u], tensor[t + 2u]));
    more = wide_add(more, wide_divide(trace, wide(f)));
  }
  var force = array<vec2<f32>, 9>(
    tensor[t], tensor[t + 3u], tensor[t + 4u],
    tensor[t + 3u], tensor[t + 1u], tensor[t + 5u],
    tensor[t + 4u], tensor[t + 5u], tensor[t + 2u],
  );
  for (var i = 0u; i < 9u; i++) {
    let mirrored = i % 3u * 3u + i / 3u;
    force[i] = wide_add(force[i], 0.5 * wide_add(virial[k + i], virial[k + mirrored]));
    if (i % 4u == 0u) {
      force[i] = wide_add(force[i], more);
    } else if (params.coupling != ${Coupling.TRICLINIC}u) {
      force[i] = wide(0.0);
    }
  }
  if (params.coupling == ${Coupling.ISOTROPIC}u) {
    let mean = wide_divide(wide_add(force[0], wide_add(force[4], force[8])), wide(3.0));
    force[0] = mean;
    force[4] = mean;
    force[8] = mean;
  }
  let inertia = inertia_of(s);
  let kick = wide_divide(0.5 * parameter(s, ${P.DT}u), inertia);
  var square = wide(0.0);
  for (var i = 0u; i < 9u; i++) {
    let nu = wide_add(rate[k + i], wide_multiply(kick, force[i]));
    rate[k + i] = nu;
    square = wide_add(square, wide_multiply(nu, nu));
  }
  bathEnergy[s] = wide_add(work, 0.5 * wide_multiply(inertia, square));
}`,
  }],
};
