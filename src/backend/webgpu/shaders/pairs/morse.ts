import type { Shader } from "../../program/shader.ts";
import { sumPairs } from "../../wgsl/sum_pairs.ts";

/** See src/kernels/pairs/morse.ts. */
export const morse: Shader = sumPairs(
  5,
  /* wgsl */ `
fn pair(square: f32, at: u32) -> vec2<f32> {
  let depth = parameters[at];
  let a = parameters[at + 1u];
  let r = sqrt(square);
  let q = exp(-a * (r - parameters[at + 2u]));
  return vec2<f32>(depth * q * (q - 2.0) - parameters[at + 4u], 2.0 * a * depth * q * (q - 1.0) / r);
}
`,
);
