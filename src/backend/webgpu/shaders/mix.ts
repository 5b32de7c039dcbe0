import type { Shader } from "../shader.ts";

/** See src/kernels/mix.ts. */
export const mix: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `
fn atom(s: u32, a: u32) { goal[a] = keep[s] * goal[a] + take[s] * source[a]; }`,
  }],
};
