import type { Shader } from "../program/shader.ts";

/** WGSL version of the kernel in src/kernels/remember.ts. */
export const remember: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `
fn atom(s: u32, a: u32) {
  for (var k = 3u * a; k < 3u * a + 3u; k++) { goal[k] = source[k]; }
}`,
  }],
};
