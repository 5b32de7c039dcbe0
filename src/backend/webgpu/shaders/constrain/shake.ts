import type { Shader } from "../../program/shader.ts";
import { bondVectors, ease, REPORT_BROKEN, rounds } from "../../wgsl/bonds.ts";

/**
 * WGSL version of the kernel in src/kernels/constrain/shake.ts. The first passes compute the displacement and
 * mobility of each atom, and the bonds before the drift. Then one thread per cluster computes the corrections, and
 * the last pass adds them.
 */
export const shake: Shader = {
  words: { width: "u32", most: "u32" },
  scratch: (call) => ({
    going: { type: "vec4<f32>", length: 3 * Math.max(1, call.atoms) },
    olds: { type: "vec4<f32>", length: Math.max(1, call.length("bonds") / 2) },
  }),
  passes: ({ has }) => [
    {
      per: "atom",
      code: /* wgsl */ `${ease(has)}
fn atom(s: u32, a: u32) {
  var moved = vec3<f32>(0.0);
  for (var i = 0u; i < 3u; i++) {
    let k = 3u * a + i;
    moved[i] = wide_add(two_sum(positions[k], low[k]), -two_sum(before[k], lowBefore[k])).x;
  }
  going[3u * a] = vec4<f32>(moved, 0.0);
  going[3u * a + 1u] = vec4<f32>(ease_of(a), 0.0);
  going[3u * a + 2u] = vec4<f32>(0.0);
}`,
    },
    bondVectors(has, "olds", (k) => `two_sum(before[${k}], lowBefore[${k}])`),
    {
      per: "group",
      atomic: ["control"],
      code: /* wgsl */ `${REPORT_BROKEN}
fn adjust(s: u32, b: u32, length: f32) -> bool {
  let i = 3u * (first_of(s) + u32(bonds[2u * b]));
  let j = 3u * (first_of(s) + u32(bonds[2u * b + 1u]));
  let old = olds[b].xyz;
  let apart = (going[j].xyz - going[i].xyz) + (going[j + 2u].xyz - going[i + 2u].xyz);
  let now = old + apart;
  let missing = length * length - dot(now, now);
  if (abs(missing) <= 2.0 * params.tolerance * length * length) { return true; }
  let first = going[i + 1u].xyz;
  let second = going[j + 1u].xyz;
  let g = missing / (2.0 * dot((first + second) * now, old));
  going[i + 2u] -= vec4<f32>(g * first * old, 0.0);
  going[j + 2u] += vec4<f32>(g * second * old, 0.0);
  return false;
}

fn group(s: u32, lane: u32) {
  let begin = u32(clusters[starts[s]]);
  let end = u32(starts[s + 1u]);
  for (var c = u32(starts[s]) + lane; c < end; c += LANES) {
    ${rounds("adjust(s, b, lengths[params.width * s + b - begin].x)")}
  }
}`,
    },
    {
      per: "atom",
      changes: ["velocities"],
      code: /* wgsl */ `
fn atom(s: u32, a: u32) {
  let by = going[3u * a + 2u].xyz;
  for (var i = 0u; i < 3u; i++) {
    if (by[i] == 0.0) { continue; }
    let k = 3u * a + i;
    let sum = wide_add(two_sum(positions[k], low[k]), wide(by[i]));
    positions[k] = sum.x;
    low[k] = sum.y;
    ${has("velocities") && has("dt") ? "velocities[k] += by[i] / (params.fraction * dt[s]);" : ""}
  }
}`,
    },
  ],
};
