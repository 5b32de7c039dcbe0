/**
 * WGSL for bonds of fixed length; see src/kernels/constrain.
 *
 * @module
 */

import type { Pass } from "../program/shader.ts";
import { COMPLETED_ROWS } from "./cells.ts";
import { diverge } from "./diverge.ts";

/**
 * Defines a function that returns the nearest periodic image of a vector. Without `cell` and `pbc`, it returns the
 * vector itself.
 */
function nearest(has: (name: string) => boolean): string {
  if (!has("cell") || !has("pbc")) {
    return "fn nearest(d: array<vec2<f32>, 3>, s: u32) -> vec3<f32> { return vec3<f32>(d[0].x, d[1].x, d[2].x); }";
  }
  return /* wgsl */ `${COMPLETED_ROWS}
fn nearest(given: array<vec2<f32>, 3>, s: u32) -> vec3<f32> {
  var d = given;
  let x = vec3<f32>(d[0].x, d[1].x, d[2].x);
  if (pbc[3u * s] == 0 && pbc[3u * s + 1u] == 0 && pbc[3u * s + 2u] == 0) { return x; }
  var rows = completed_rows(s);
  var normals = array<vec3<f32>, 3>(cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1]));
  let volume = dot(rows[0], normals[0]);
  if (volume == 0.0) { return x; }
  for (var k = 0u; k < 3u; k++) {
    if (pbc[3u * s + k] == 0) { continue; }
    let n = floor(dot(x, normals[k]) / volume + 0.5);
    if (n == 0.0) { continue; }
    for (var i = 0u; i < 3u; i++) { d[i] = wide_add(d[i], two_product(-n, rows[k][i])); }
  }
  return vec3<f32>(d[0].x, d[1].x, d[2].x);
}
`;
}

/**
 * Returns a pass over the bonds of a system, which writes the vector of each bond to the array named `to`.
 *
 * @param at WGSL of the exact coordinate k
 */
export function bondVectors(
  has: (name: string) => boolean,
  to: string,
  at: (k: string) => string,
): Pass {
  return {
    per: "group",
    code: /* wgsl */ `${nearest(has)}
fn group(s: u32, lane: u32) {
  let end = u32(clusters[starts[s + 1u]]);
  for (var b = u32(clusters[starts[s]]) + lane; b < end; b += LANES) {
    let p = 3u * (first_of(s) + u32(bonds[2u * b]));
    let q = 3u * (first_of(s) + u32(bonds[2u * b + 1u]));
    var d: array<vec2<f32>, 3>;
    for (var i = 0u; i < 3u; i++) { d[i] = wide_add(${at("q + i")}, -${at("p + i")}); }
    ${to}[b] = vec4<f32>(nearest(d, s), 0.0);
  }
}`,
  };
}

/**
 * Defines a function that returns the mobility of an atom along each axis: its weight, or 0 along an axis that is
 * held.
 */
export function ease(has: (name: string) => boolean): string {
  const axis = (i: number) =>
    has("held") ? `select(w, 0.0, (u32(held[a]) & ${1 << i}u) != 0u)` : "w";
  return /* wgsl */ `
fn ease_of(a: u32) -> vec3<f32> {
  let w = weights[a];
  return vec3<f32>(${axis(0)}, ${axis(1)}, ${axis(2)});
}
`;
}

/** Defines the function `diverge`, which reports a system whose bonds could not be kept. */
export const REPORT_BROKEN: string = diverge(2);

/**
 * Returns WGSL that iterates over the bonds of a cluster c, in rounds, until `adjust(b)` is true for all bonds b of a
 * round. Reports the system if too many rounds would be needed.
 */
export function rounds(adjust: string): string {
  return /* wgsl */ `
    let over = u32(clusters[c + 1u]);
    var is_done = false;
    for (var round = 0u; round <= params.most && !is_done; round++) {
      is_done = true;
      for (var b = u32(clusters[c]); b < over; b++) {
        if (!${adjust}) { is_done = false; }
      }
    }
    if (!is_done) { diverge(s); }`;
}
