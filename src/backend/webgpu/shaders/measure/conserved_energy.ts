import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/measure/conserved_energy.ts. */
export const conservedEnergy: Shader = {
  passes: () => [{
    per: "system",
    always: true,
    code: /* wgsl */ `
fn system(s: u32) { conserved[s] = wide_add(wide_add(energy[s], kinetic[s]), bathEnergy[s]); }`,
  }],
};
