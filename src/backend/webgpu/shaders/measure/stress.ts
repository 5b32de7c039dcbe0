import type { Shader } from "../../program/shader.ts";
import { VOLUME } from "../../wgsl/volume.ts";

/** WGSL version of the kernel in src/kernels/measure/stress.ts. */
export const stress: Shader = {
  passes: () => [{
    per: "system",
    always: true,
    code: /* wgsl */ `${VOLUME}
fn system(s: u32) {
  let volume = volume_of(s);
  for (var k = 9u * s; k < 9u * s + 9u; k++) {
    if (volume.x == 0.0) { stress[k] = wide(0.0); } else { stress[k] = wide_divide(-virial[k], volume); }
  }
}`,
  }],
};
