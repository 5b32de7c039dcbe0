import { BOLTZMANN } from "../../../kernels/constants.ts";
import { Stream } from "../../../kernels/philox.ts";
import type { Shader } from "../shader.ts";

/** See src/kernels/thermalize.ts. */
export const thermalize: Shader = {
  words: { seedLow: "u32", seedHigh: "u32" },
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `
// 1 - exp(-x), accurate where x is small, too: Horner's form of the series, or the function itself.
fn lost_of(x: f32) -> f32 {
  if (x > 0.5) { return 1.0 - exp(-x); }
  var sum = 1.0;
  for (var n = 9.0; n > 1.0; n -= 1.0) { sum = 1.0 - x / n * sum; }
  return x * sum;
}

fn atom(s: u32, a: u32) {
  if (friction[s] == 0.0) { return; }
  let lost = friction[s] * dt[s];
  let keep = 1.0 - lost_of(lost);
  let energy = lost_of(2.0 * lost) * ${BOLTZMANN} * temperature[s];
  let counter = vec4<u32>(a - first_of(s), u32(ages[s]), u32(ids[s]), ${Stream.THERMOSTAT}u);
  let noise = three_gaussians(philox(counter, vec2<u32>(params.seedLow, params.seedHigh)));
  let width = sqrt(energy * weights[a]);
  for (var k = 0u; k < 3u; k++) {
    velocities[3u * a + k] = keep * velocities[3u * a + k] + width * noise[k];
  }
}`,
  }],
};
