import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/integrate/kick.ts. */
export const kick: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `
fn atom(s: u32, a: u32) {
  let w = 0.5 * dt[s] * weights[a];
  for (var k = 3u * a; k < 3u * a + 3u; k++) { velocities[k] += w * forces[k]; }
}`,
  }],
};
