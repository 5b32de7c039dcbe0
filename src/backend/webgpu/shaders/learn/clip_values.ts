import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/learn/clip_values.ts. */
export const clipValues: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `
fn atom(s: u32, a: u32) {
  let x = values[a];
  let most = limit[0];
  // Sizes are compared by their bits, as a compiler may take for granted that each is a number.
  if (is_nan(x) || size_bits(x) <= size_bits(most)) { return; }
  values[a] = select(most, -most, bitcast<u32>(x) > 0x7fffffffu);
}`,
  }],
};
