import { BOLTZMANN } from "../../../kernels/constants.ts";
import type { Shader } from "../shader.ts";

const LOW = BOLTZMANN - Math.fround(BOLTZMANN);

/** See src/kernels/temperature.ts. */
export const temperature: Shader = {
  passes: () => [{
    per: "system",
    always: true,
    code: /* wgsl */ `
fn system(s: u32) {
  var t = wide(0.0);
  if (freedom[s] > 0) {
    let each = wide_multiply(wide(f32(freedom[s])), vec2<f32>(${Math.fround(BOLTZMANN)}, ${LOW}));
    t = wide_divide(2.0 * kinetic[s], each);
  }
  temperature[s] = t;
}`,
  }],
};
