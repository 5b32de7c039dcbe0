import { PLACES } from "../../../wgsl/pair_state.ts";

/** Defines functions that read the box and the bins of a system, which the pass `PREPARE` has written. */
export const LAYOUT: string = /* wgsl */ `${PLACES}
fn boxed(s: u32, at: u32) -> vec3<f32> {
  let b = box_at(s) + 3u * at;
  return vec3<f32>(kept[b], kept[b + 1u], kept[b + 2u]);
}
fn counts_of(s: u32) -> vec3<i32> { return vec3<i32>(boxed(s, 8u)); }
fn ranges_of(s: u32) -> vec3<i32> { return vec3<i32>(boxed(s, 9u)); }
fn bins_of(s: u32) -> u32 { let n = counts_of(s); return u32(n.x * n.y * n.z); }
fn reference_of(a: u32) -> vec3<f32> {
  let at = reference_at(a);
  return vec3<f32>(kept[at], kept[at + 1u], kept[at + 2u]);
}
`;

/** Defines a function that returns whether the pairs of a system are due. The result is uniform for a workgroup. */
export const IS_DUE: string = /* wgsl */ `
var<workgroup> verdict: i32;

fn is_due(s: u32, lane: u32) -> bool {
  // A system without atoms has no bins: what would be its first is another's.
  if (lane == 0u) { verdict = select(0, marks[due_at(s)], first_of(s) < first_of(s + 1u)); }
  return workgroupUniformLoad(&verdict) != 0;
}
`;
