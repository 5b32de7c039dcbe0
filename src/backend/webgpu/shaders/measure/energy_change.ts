import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/measure/energy_change.ts. */
export const energyChange: Shader = {
  passes: () => [{
    per: "system",
    code: /* wgsl */ `
fn system(s: u32) {
  let was = previous[s];
  if (is_nan(was.x)) { change[s] = wide(from_bits(INFINITE)); } else { change[s] = wide_add(energy[s], -was); }
  previous[s] = energy[s];
}`,
  }],
};
