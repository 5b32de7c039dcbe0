import { BarostatParameter as P } from "../../../kernels/barostats/barostat_kick.ts";
import { TERMS } from "../../../kernels/cells/strain.ts";
import type { Scratch, ShaderCall } from "../program/shader.ts";
import { parameterOf } from "./settings.ts";

/** Returns the scratch memory for the effect of a strain rate on atoms: six rows per system. */
export function strainScratch({ systems }: ShaderCall): Readonly<Record<string, Scratch>> {
  return { flow: { type: "vec4<f32>", length: 6 * systems } };
}

/**
 * Defines a function that writes the effect of a strain rate on the atoms of a system; see
 * src/kernels/cells/strain.ts.
 */
export const SOLVE_STRAIN: string = /* wgsl */ `
fn solve_strain(s: u32, total: mat3x3<f32>, time: f32) {
  let one = mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
  var sum = one;
  for (var n = ${TERMS}.0; n > 1.0; n -= 1.0) { sum = total * sum * (1.0 / n) + one; }
  let grow = total * sum;
  for (var i = 0u; i < 3u; i++) {
    flow[6u * s + i] = vec4<f32>(grow[i], 0.0);
    flow[6u * s + 3u + i] = vec4<f32>(time * sum[i], 0.0);
  }
}
`;

/** Defines a function that applies the effect of the strain rate to two vectors of an atom, and returns the sum. */
export const FLOW = /* wgsl */ `
fn flowed(s: u32, x: vec3<f32>, y: vec3<f32>) -> vec3<f32> {
  let k = 6u * s;
  return vec3<f32>(dot(flow[k].xyz, x), dot(flow[k + 1u].xyz, x), dot(flow[k + 2u].xyz, x)) +
    vec3<f32>(dot(flow[k + 3u].xyz, y), dot(flow[k + 4u].xyz, y), dot(flow[k + 5u].xyz, y));
}
`;

/** Defines a function that reads a component of a cell with its rounding error. */
export const EXACT_CELL = /* wgsl */ `
fn exact_cell(s: u32, k: u32) -> vec2<f32> { return wide_add(wide(cell[9u * s + k]), cellLow[9u * s + k]); }
`;

/** Defines functions that read the parameters of a barostat and return the inertia of a cell. */
export const INERTIA: string = /* wgsl */ `${parameterOf(P.LENGTH)}
fn inertia_of(s: u32) -> vec2<f32> {
  let many = wide_add(wide_divide(wide(f32(freedom[s])), wide(3.0)), wide(1.0));
  let time = parameter(s, ${P.TIME}u);
  return wide_multiply(wide_multiply(many, parameter(s, ${P.KT}u)), wide_multiply(time, time));
}
`;
