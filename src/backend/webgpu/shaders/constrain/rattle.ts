import type { Shader } from "../../program/shader.ts";
import { bondVectors, ease, REPORT_BROKEN, rounds } from "../../wgsl/bonds.ts";

/**
 * WGSL version of the kernel in src/kernels/constrain/rattle.ts. The first pass computes bonds and mobilities. Then
 * one thread handles each cluster.
 */
export const rattle: Shader = {
  words: { most: "u32" },
  scratch: (call) => ({
    eases: { type: "vec4<f32>", length: Math.max(1, call.atoms) },
    lows: { type: "vec4<f32>", length: Math.max(1, call.atoms) },
    along: { type: "vec4<f32>", length: Math.max(1, call.length("bonds") / 2) },
  }),
  passes: ({ has }) => {
    const at = (k: string) =>
      has("low") ? `two_sum(positions[${k}], low[${k}])` : `wide(positions[${k}])`;
    return [
      {
        per: "atom",
        code: /* wgsl */ `${ease(has)}
fn atom(s: u32, a: u32) {
  eases[a] = vec4<f32>(ease_of(a), 0.0);
  lows[a] = vec4<f32>(0.0);
}`,
      },
      bondVectors(has, "along", at),
      {
        per: "group",
        atomic: ["control"],
        code: /* wgsl */ `${REPORT_BROKEN}
fn vector_of(k: u32) -> vec3<f32> { return vec3<f32>(vectors[k], vectors[k + 1u], vectors[k + 2u]); }

// What rounding takes off is kept: many small pushes may be a large one.
fn push(a: u32, by: vec3<f32>) {
  for (var k = 0u; k < 3u; k++) {
    let sum = two_sum(vectors[3u * a + k], lows[a][k] + by[k]);
    vectors[3u * a + k] = sum.x;
    lows[a][k] = sum.y;
  }
}

fn adjust(s: u32, b: u32, slack: f32) -> bool {
  let i = first_of(s) + u32(bonds[2u * b]);
  let j = first_of(s) + u32(bonds[2u * b + 1u]);
  let d = along[b].xyz;
  let change = dot(d, (vector_of(3u * j) - vector_of(3u * i)) + (lows[j].xyz - lows[i].xyz));
  if (abs(change) <= slack * sqrt(dot(d, d))) { return true; }
  let slope = dot((eases[i].xyz + eases[j].xyz) * d, d);
  if (slope == 0.0) { return true; }
  let g = change / slope;
  push(i, g * eases[i].xyz * d);
  push(j, -g * eases[j].xyz * d);
  return false;
}

fn group(s: u32, lane: u32) {
  let end = u32(starts[s + 1u]);
  for (var c = u32(starts[s]) + lane; c < end; c += LANES) {
    var square = 0.0;
    let last = 2u * u32(clusters[c + 1u]);
    for (var n = 2u * u32(clusters[c]); n < last; n++) {
      let v = vector_of(3u * (first_of(s) + u32(bonds[n])));
      square = max(square, dot(v, v));
    }
    let slack = params.tolerance * sqrt(square);
    ${rounds("adjust(s, b, slack)")}
  }
}`,
      },
    ];
  },
};
