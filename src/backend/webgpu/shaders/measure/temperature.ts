import { BOLTZMANN } from "../../../../kernels/constants.ts";
import type { Shader } from "../../program/shader.ts";

const LOW = BOLTZMANN - Math.fround(BOLTZMANN);

/** WGSL version of the kernel in src/kernels/measure/temperature.ts. */
export const temperature: Shader = {
  passes: ({ has, length }) => [{
    per: "system",
    always: true,
    code: /* wgsl */ `
fn system(s: u32) {
  var t = wide(0.0);
  var degrees = freedom[s];
  ${has("keeps") ? staged(length("keeps") - 1) : ""}
  if (degrees > 0) {
    let each = wide_multiply(wide(f32(degrees)), vec2<f32>(${Math.fround(BOLTZMANN)}, ${LOW}));
    t = wide_divide(2.0 * kinetic[s], each);
  }
  temperature[s] = t;
}`,
  }],
};

function staged(last: number): string {
  return `if (keeps[min(stage[s], ${last})] != 0) { degrees = resting[s]; }`;
}
