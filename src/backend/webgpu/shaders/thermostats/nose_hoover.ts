import { BOLTZMANN } from "../../../../kernels/constants.ts";
import type { Shader } from "../../program/shader.ts";
import { GROWTH, wideLiteral } from "../../wgsl/growth.ts";
import { TWICE_KINETIC } from "../../wgsl/kinetic.ts";
import { CHAIN, chainCode } from "../../wgsl/nose_hoover_chain.ts";

/** WGSL version of the kernel in src/kernels/thermostats/nose_hoover.ts. */
export const noseHoover: Shader = {
  words: { length: "u32", parts: "u32" },
  passes: ({ number }) => [{
    per: "group",
    code: /* wgsl */ `${GROWTH}${TWICE_KINETIC}${CHAIN}
${chainCode({ eta: "eta", etaDot: "etaDot", parts: number("parts") })}
var<workgroup> scaled_by: f32;

fn chain_of(s: u32) -> Chain {
  let kt = wide_multiply(${wideLiteral(BOLTZMANN)}, wide(temperature[s]));
  let rest = wide_multiply(kt, two_product(time[s], time[s]));
  let degrees = f32(freedom[s]);
  return Chain(params.length * s, params.length, kt, degrees, wide_multiply(wide(degrees), rest), rest);
}

fn group(s: u32, lane: u32) {
  if (freedom[s] <= 0) { return; }
  let twice = twice_kinetic(s, lane);
  if (lane == 0u) {
    let chain = chain_of(s);
    scaled_by = growth_of(advance_chain(chain, twice, wide(0.5 * dt[s])));
    bathEnergy[s] = chain_energy(chain);
  }
  workgroupBarrier();
  scale_velocities(s, lane, scaled_by);
}`,
  }],
};
