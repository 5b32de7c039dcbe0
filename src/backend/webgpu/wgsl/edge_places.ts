/**
 * WGSL that assigns indices in the lists to the edges and triplets of each atom: prefix sums of the counts per atom,
 * and the check that the total fits the capacity.
 *
 * @module
 */

import type { Pass } from "../program/shader.ts";
import { FrameWord } from "./module.ts";

/** Returns the length of `places` in numbers. One half of `places` is for edges, the other half for triplets. */
export function placesLength(atoms: number, systems: number): number {
  return 2 * (2 * atoms + systems + 1);
}

/**
 * Defines functions that return the indices in `places` of an atom's first index, of its count and of a system's
 * first index, and a function that returns the total count.
 */
export function placesOf(of: "edge" | "triplet"): string {
  const from = of === "edge" ? "" : " + 2u * params.atoms + params.systems + 1u";
  return /* wgsl */ `
fn ${of}_begin_at(a: u32) -> u32 { return a${from}; }
fn ${of}_many_at(a: u32) -> u32 { return params.atoms + a${from}; }
fn ${of}_base_at(s: u32) -> u32 { return 2u * params.atoms + s${from}; }
fn ${of}_count() -> u32 { return u32(places[${of}_base_at(params.systems)]); }
`;
}

/**
 * Returns passes that compute prefix sums of the counts per atom: the first index of each atom within its system, the
 * first index of each system, and the total. If the total plus one does not fit, the frame freezes at this call.
 */
export function placing(of: "edge" | "triplet"): Pass[] {
  const places = placesOf(of);
  return [
    { per: "group", always: true, changes: ["places"], code: `${places}${withinSystems(of)}` },
    { per: "group", always: true, changes: ["places"], code: `${places}${acrossSystems(of)}` },
    {
      per: "system",
      always: true,
      atomic: ["frame"],
      changes: ["edge_counts"],
      code: `${places}${commit(of)}`,
    },
  ];
}

/**
 * Defines a prefix sum: each thread sums a range of numbers, and gets the sum of the ranges of all threads before it.
 */
const SUMS = /* wgsl */ `
var<workgroup> sums: array<i32, LANES>;

fn before(lane: u32, sum: i32) -> i32 {
  sums[lane] = sum;
  workgroupBarrier();
  var all = 0;
  for (var i = 0u; i < lane; i++) { all += sums[i]; }
  return all;
}
`;

function withinSystems(of: string): string {
  return /* wgsl */ `${SUMS}
fn group(s: u32, lane: u32) {
  let end = first_of(s + 1u);
  let each = (end - first_of(s) + LANES - 1u) / LANES;
  let low = first_of(s) + lane * each;
  let to = min(end, low + each);
  var sum = 0;
  for (var a = low; a < to; a++) { sum += places[${of}_many_at(a)]; }
  var at = before(lane, sum);
  for (var a = low; a < to; a++) {
    places[${of}_begin_at(a)] = at;
    at += places[${of}_many_at(a)];
  }
  if (lane == LANES - 1u) { places[${of}_base_at(s)] = at; }
}`;
}

function acrossSystems(of: string): string {
  return /* wgsl */ `${SUMS}
fn group(first: u32, lane: u32) {
  if (first != 0u) { return; }
  let each = (params.systems + LANES - 1u) / LANES;
  let low = lane * each;
  let to = min(params.systems, low + each);
  var sum = 0;
  for (var s = low; s < to; s++) { sum += places[${of}_base_at(s)]; }
  var at = before(lane, sum);
  for (var s = low; s < to; s++) {
    let many = places[${of}_base_at(s)];
    places[${of}_base_at(s)] = at;
    at += many;
  }
  if (lane == LANES - 1u) { places[${of}_base_at(params.systems)] = at; }
}`;
}

function commit(of: "edge" | "triplet"): string {
  return /* wgsl */ `
fn system(s: u32) {
  if (s != 0u) { return; }
  let count = ${of}_count();
  edge_counts[${of === "edge" ? 0 : 1}] = i32(count);
  if (count < params.room) { return; }
  atomicStore(&frame[${FrameWord.NEED}u], count);
  atomicStore(&frame[${FrameWord.OVERFLOW}u], params.call + 1u);
  atomicStore(&frame[${FrameWord.FROZEN}u], 1u);
}`;
}
