import type { Shader } from "../program/shader.ts";

/** WGSL version of the kernel in src/kernels/mix.ts. */
export const mix: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `
fn atom(s: u32, a: u32) {
  var x = 0.0;
  if (keep[s] != 0) { x = keep[s] * goal[a]; }
  if (take[s] != 0) { x += take[s] * source[a]; }
  goal[a] = x;
}`,
  }],
};
