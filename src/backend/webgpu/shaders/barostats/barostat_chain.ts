import { BarostatParameter as P } from "../../../../kernels/barostats/barostat_kick.ts";
import type { Shader } from "../../program/shader.ts";
import { GROWTH_OF } from "../../wgsl/growth.ts";
import { CHAIN, chainCode } from "../../wgsl/nose_hoover_chain.ts";
import { INERTIA } from "../../wgsl/strain.ts";

/** WGSL version of the kernel in src/kernels/barostats/barostat_chain.ts. */
export const barostatChain: Shader = {
  words: { coupling: "u32", length: "u32", parts: "u32" },
  passes: ({ number }) => [{
    per: "system",
    code: /* wgsl */ `${GROWTH_OF}${INERTIA}${CHAIN}
${chainCode({ eta: "eta", etaDot: "etaDot", parts: number("parts") })}

fn system(s: u32) {
  let k = 9u * s;
  let kt = parameter(s, ${P.KT}u);
  let rest = wide_multiply(kt, wide_multiply(parameter(s, ${P.TIME}u), parameter(s, ${P.TIME}u)));
  let degrees = f32(params.coupling);
  let chain = Chain(
    params.length * s, params.length, kt, degrees, wide_multiply(wide(degrees), rest), rest,
  );
  var square = wide(0.0);
  for (var i = k; i < k + 9u; i++) { square = wide_add(square, wide_multiply(rate[i], rate[i])); }
  let twice = wide_multiply(inertia_of(s), square);
  let growth = growth_of(advance_chain(chain, twice, 0.5 * parameter(s, ${P.DT}u)));
  for (var i = k; i < k + 9u; i++) {
    rate[i] = wide_add(rate[i], wide_multiply(rate[i], wide(growth)));
  }
  let more = wide_multiply(0.5 * twice, two_product(growth, 2.0 + growth));
  bathEnergy[s] = wide_add(
    wide_add(bathEnergy[s], more),
    wide_add(chain_energy(chain), others[s]),
  );
}`,
  }],
};
