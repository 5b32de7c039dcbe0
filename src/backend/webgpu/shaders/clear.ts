import type { Shader } from "../program/shader.ts";

/** WGSL version of the kernel in src/kernels/clear.ts. */
export const clear: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `
fn atom(s: u32, a: u32) {
  for (var k = 3u * a; k < 3u * a + 3u; k++) { forces[k] = 0.0; }
}`,
  }, {
    per: "system",
    code: /* wgsl */ `
fn system(s: u32) {
  energy[s] = vec2<f32>(0.0, 0.0);
  for (var k = 9u * s; k < 9u * s + 9u; k++) { virial[k] = vec2<f32>(0.0, 0.0); }
}`,
  }],
};
