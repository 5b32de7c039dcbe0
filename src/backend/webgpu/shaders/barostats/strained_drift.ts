import type { Shader } from "../../program/shader.ts";
import { addTo } from "../../wgsl/add_to.ts";
import { EXACT_CELL, FLOW, SOLVE_STRAIN, strainScratch } from "../../wgsl/strain.ts";

/** WGSL version of the kernel in src/kernels/barostats/strained_drift.ts. */
export const strainedDrift: Shader = {
  scratch: strainScratch,
  passes: ({ has }) => [{
    per: "system",
    code: /* wgsl */ `${SOLVE_STRAIN}${EXACT_CELL}
fn system(s: u32) {
  let k = 9u * s;
  let x = vec3<f32>(rate[k].x, rate[k + 1u].x, rate[k + 2u].x);
  let y = vec3<f32>(rate[k + 3u].x, rate[k + 4u].x, rate[k + 5u].x);
  let z = vec3<f32>(rate[k + 6u].x, rate[k + 7u].x, rate[k + 8u].x);
  solve_strain(s, mat3x3<f32>(dt[s] * x, dt[s] * y, dt[s] * z), dt[s]);
  for (var h = 0u; h < 9u; h += 3u) {
    let row = array<vec2<f32>, 3>(exact_cell(s, h), exact_cell(s, h + 1u), exact_cell(s, h + 2u));
    for (var i = 0u; i < 3u; i++) {
      var sum = row[i];
      for (var j = 0u; j < 3u; j++) {
        sum = wide_add(sum, wide_multiply(wide(flow[6u * s + i][j]), row[j]));
      }
      cell[k + h + i] = sum.x;
      cellLow[k + h + i] = wide(sum.y);
    }
  }
}`,
  }, {
    per: "atom",
    changes: ["low"],
    code: /* wgsl */ `${FLOW}${addTo(has("low"))}

fn atom(s: u32, a: u32) {
  let k = 3u * a;
  let x = vec3<f32>(positions[k], positions[k + 1u], positions[k + 2u]);
  let v = vec3<f32>(velocities[k], velocities[k + 1u], velocities[k + 2u]);
  let by = flowed(s, x, v);
  for (var i = 0u; i < 3u; i++) { add_to(k + i, by[i]); }
}`,
  }],
};
