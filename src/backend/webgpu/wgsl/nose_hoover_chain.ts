import { SUB_STEPS } from "../../../kernels/baths/nose_hoover_chain.ts";
import { wideLiteral } from "./growth.ts";

/** Where a chain is, and into how many parts its time is divided. */
export interface ChainCode {
  /** The buffer of ∫ η̇. */
  readonly eta: string;
  /** The buffer of the rates. */
  readonly etaDot: string;
  /** Ends the names of the functions, where a pass has several chains. @default "" */
  readonly name?: string;
  /** 1, 3 or 5. */
  readonly parts: number;
}

/** The type of what drives chains, needed once. With wgsl/growth.ts it is all that `chainCode` needs. */
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
 * WGSL of src/kernels/baths/nose_hoover_chain.ts, for one thread: `advance_chain(chain, twice, time)`, which answers
 * with x, and `chain_energy(chain)`. State and sums have twice the digits; how much rates decay is known to those of
 * float32.
 */
export function chainCode({ eta, etaDot, name = "", parts }: ChainCode): string {
  const divided = SUB_STEPS[parts as 1 | 3 | 5].map((part) =>
    `total += chain_part${name}(chain, &left, wide_multiply(${wideLiteral(part)}, whole));`
  );
  return /* wgsl */ `
fn push_link${name}(chain: Chain, k: u32, twice: vec2<f32>, step: vec2<f32>) {
  var force = wide_add(twice, -wide_multiply(wide(chain.degrees), chain.kt));
  if (k == chain.at) {
    force = wide_divide(force, chain.first_mass);
  } else {
    var mass = chain.rest_mass;
    if (k == chain.at + 1u) { mass = chain.first_mass; }
    let square = wide_multiply(${etaDot}[k - 1u], ${etaDot}[k - 1u]);
    force = wide_divide(wide_add(wide_multiply(mass, square), -chain.kt), chain.rest_mass);
  }
  var decay = wide(0.0);
  if (k + 1u < chain.at + chain.links) { decay.x = growth_of(-0.25 * step.x * ${etaDot}[k + 1u].x); }
  var rate = ${etaDot}[k];
  rate = wide_add(rate, wide_multiply(rate, decay));
  rate = wide_add(rate, wide_multiply(0.5 * step, force));
  ${etaDot}[k] = wide_add(rate, wide_multiply(rate, decay));
}

fn chain_part${name}(chain: Chain, left: ptr<function, vec2<f32>>, step: vec2<f32>) -> f32 {
  for (var k = chain.at + chain.links; k > chain.at; k--) { push_link${name}(chain, k - 1u, *left, step); }
  let x = -wide_multiply(step, ${etaDot}[chain.at]).x;
  let m = growth_of(x);
  *left = wide_add(*left, wide_multiply(*left, two_product(m, 2.0 + m)));
  for (var k = chain.at; k < chain.at + chain.links; k++) {
    ${eta}[k] = wide_add(${eta}[k], wide_multiply(step, ${etaDot}[k]));
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
