/**
 * Sums energies and virials: ten sums per tile in scratch memory, which are then added up per system.
 *
 * @module
 */

import { Want } from "../../../kernels/pairs/sum_pairs.ts";
import type { Pass, Scratch, ShaderCall } from "../program/shader.ts";

/** Returns the scratch memory for the sums of all tiles. */
export function partials({ tiles }: ShaderCall): Record<string, Scratch> {
  return { partials: { type: "vec2<f32>", length: 10 * tiles } };
}

/**
 * Defines a function that sums an energy and nine components of a virial over the threads of a tile, and stores the
 * sums.
 */
export const KEEP_SUMS = /* wgsl */ `
var<workgroup> terms: array<f32, 11u * LANES>;

fn keep_sums(t: u32, lane: u32, e: vec2<f32>, virials: array<f32, 9>) {
  var w = virials;
  terms[11u * lane] = e.x;
  terms[11u * lane + 1u] = e.y;
  for (var i = 0u; i < 9u; i++) { terms[11u * lane + 2u + i] = w[i]; }
  workgroupBarrier();
  if (lane < 10u) {
    var sum = wide(0.0);
    for (var i = 0u; i < LANES; i++) {
      var term = wide(terms[11u * i + lane + 1u]);
      if (lane == 0u) { term = vec2<f32>(terms[11u * i], terms[11u * i + 1u]); }
      sum = wide_add(sum, term);
    }
    partials[10u * t + lane] = sum;
  }
}
`;

/**
 * Returns the passes that add the sums of a system's tiles to its energy and virial, as far as `want` requests them.
 */
export function addSums(want: number): Pass[] {
  return addTerms(want, ["tiles_of(s)", "tiles_of(s + 1u)"], "partials[10u * t + c]");
}

/**
 * Returns the passes that add terms to the energy (c = 0) and the virial (c = 1 … 9) of each system, as far as `want`
 * requests them.
 *
 * @param range WGSL of the first t of a system s, and of the end of its range
 * @param term WGSL of the exact term c of t
 * @param functions WGSL functions that `term` calls
 */
export function addTerms(
  want: number,
  [from, to]: readonly [from: string, to: string],
  term: string,
  functions: string = "",
): Pass[] {
  return want === 0 ? [] : [{
    per: "group",
    code: /* wgsl */ `${functions}
fn group(s: u32, lane: u32) {
  let end = ${to};
  for (var c = 0u; c < 10u; c++) {
    var sum = wide(0.0);
    for (var t = ${from} + lane; t < end; t += LANES) { sum = wide_add(sum, ${term}); }
    sum = sum_of_lanes(lane, sum);
    if (lane == 0u && c == 0u && (params.want & ${Want.ENERGY}u) != 0u) {
      energy[s] = wide_add(energy[s], sum);
    }
    if (lane == 0u && c > 0u && (params.want & ${Want.VIRIAL}u) != 0u) {
      virial[9u * s + c - 1u] = wide_add(virial[9u * s + c - 1u], sum);
    }
  }
}`,
  }];
}
