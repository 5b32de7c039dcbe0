import type { Shader } from "../../program/shader.ts";
import { sumPairs } from "../../wgsl/sum_pairs.ts";

/** See src/kernels/pairs/lennard_jones.ts. */
export const lennardJones: Shader = sumPairs(
  4,
  /* wgsl */ `
fn pair(square: f32, at: u32) -> vec2<f32> {
  let c12 = parameters[at];
  let c6 = parameters[at + 1u];
  let i2 = 1.0 / square;
  let i6 = i2 * i2 * i2;
  return vec2<f32>((c12 * i6 - c6) * i6 - parameters[at + 3u], (12.0 * c12 * i6 - 6.0 * c6) * i6 * i2);
}
`,
);
