import type { Shader } from "../../program/shader.ts";
import { TWICE_KINETIC } from "../../wgsl/kinetic.ts";

/** WGSL version of the kernel in src/kernels/measure/kinetic_energy.ts. */
export const kineticEnergy: Shader = {
  passes: () => [{
    per: "group",
    always: true,
    code: /* wgsl */ `${TWICE_KINETIC}
fn group(s: u32, lane: u32) {
  let twice = twice_kinetic(s, lane);
  if (lane == 0u) { kinetic[s] = 0.5 * twice; }
}`,
  }],
};
