import { SUB_STEPS } from "../../../kernels/thermostats/nose_hoover_chain.ts";
import { wideLiteral } from "./growth.ts";

/** Names of the buffers of a chain, and the number of substeps of its step. */
export interface ChainCode {
  /** Name of the buffer of ∫ η̇ dt. */
  readonly eta: string;
  /** Name of the buffer of the rates η̇. */
  readonly etaDot: string;
  /**
   * Suffix of the function names, for a pass with several chains.
   *
   * @default ""
   */
  readonly name?: string;
  /** Number of substeps of the decomposition: 1, 3 or 5. */
  readonly parts: number;
}

/**
 * Declares the type of the force on chains. A module with `chainCode` must contain it once, and the functions of
 * wgsl/growth.ts.
 */
export const CHAIN = /* wgsl */ `
struct Chain {
  at: u32,
  links: u32,
  kt: vec2<f32>,
  degrees: f32,
  first_mass: vec2<f32>,
  rest_mass: vec2<f32>,
}
`;

/**
 * Returns the WGSL of the functions in src/kernels/thermostats/nose_hoover_chain.ts, for one thread:
 * `advance_chain(chain, twice, time)`, which returns x, and `chain_energy(chain)`. State, sums and differences have
 * twice the digits of float32; increments of a step have those of float32.
 */
export function chainCode({ eta, etaDot, name = "", parts }: ChainCode): string {
  const divided = SUB_STEPS[parts as 1 | 3 | 5].map((part) =>
    `total += chain_part${name}(chain, &left, wide_multiply(${wideLiteral(part)}, whole).x);`
  );
  return /* wgsl */ `
fn push_link${name}(chain: Chain, k: u32, twice: vec2<f32>, step: f32) {
  var force = 0.0;
  if (k == chain.at) {
    force = wide_add(twice, -wide_multiply(wide(chain.degrees), chain.kt)).x / chain.first_mass.x;
  } else {
    var mass = chain.rest_mass.x;
    if (k == chain.at + 1u) { mass = chain.first_mass.x; }
    let before = ${etaDot}[k - 1u].x;
    force = (mass * before * before - chain.kt.x) / chain.rest_mass.x;
  }
  var decay = 0.0;
  if (k + 1u < chain.at + chain.links) { decay = growth_of(-0.25 * step * ${etaDot}[k + 1u].x); }
  let rate = ${etaDot}[k];
  // (rate (1 + decay) + step/2 force) (1 + decay), as what it adds.
  ${etaDot}[k] = wide_add(rate, wide((rate.x * decay) * (2.0 + decay) + 0.5 * step * force * (1.0 + decay)));
}

fn chain_part${name}(chain: Chain, left: ptr<function, vec2<f32>>, step: f32) -> f32 {
  for (var k = chain.at + chain.links; k > chain.at; k--) { push_link${name}(chain, k - 1u, *left, step); }
  let x = -step * ${etaDot}[chain.at].x;
  let m = growth_of(x);
  *left = wide_add(*left, wide_multiply(*left, two_product(m, 2.0 + m)));
  for (var k = chain.at; k < chain.at + chain.links; k++) {
    ${eta}[k] = wide_add(${eta}[k], two_product(step, ${etaDot}[k].x));
  }
  for (var k = chain.at; k < chain.at + chain.links; k++) { push_link${name}(chain, k, *left, step); }
  return x;
}

fn advance_chain${name}(chain: Chain, twice: vec2<f32>, whole: vec2<f32>) -> f32 {
  var left = twice;
  var total = 0.0;
  ${divided.join("\n  ")}
  return total;
}

fn chain_energy${name}(chain: Chain) -> vec2<f32> {
  var sum = wide(0.0);
  for (var k = chain.at; k < chain.at + chain.links; k++) {
    var mass = chain.rest_mass;
    var many = wide(1.0);
    if (k == chain.at) {
      mass = chain.first_mass;
      many = wide(chain.degrees);
    }
    let square = wide_multiply(${etaDot}[k], ${etaDot}[k]);
    sum = wide_add(sum, 0.5 * wide_multiply(mass, square));
    sum = wide_add(sum, wide_multiply(wide_multiply(many, chain.kt), ${eta}[k]));
  }
  return sum;
}
`;
}
