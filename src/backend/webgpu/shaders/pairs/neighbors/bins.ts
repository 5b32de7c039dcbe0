/**
 * Passes that sort the atoms of each system into bins. Atomics fill each bin in the order in which threads arrive,
 * which varies. `SORT` then sorts the atoms of each bin, so that no result depends on that order.
 *
 * @module
 */

import { COMPLETED } from "../../../wgsl/cells.ts";
import { IS_DUE, LAYOUT } from "./layout.ts";

/**
 * Writes the box of a system, as rows: cell rows 0 to 2, their inverse 3 to 5, lowest coordinate 6, extent 7, numbers
 * of bins 8, reach in bins 9.
 */
export const PREPARE: string = /* wgsl */ `${LAYOUT}${IS_DUE}${COMPLETED}
var<workgroup> lows: array<vec3<f32>, LANES>;
var<workgroup> highs: array<vec3<f32>, LANES>;

fn set_box(s: u32, at: u32, value: vec3<f32>) {
  for (var i = 0u; i < 3u; i++) { kept[box_at(s) + 3u * at + i] = value[i]; }
}

fn saved_row(s: u32, k: u32) -> vec3<f32> {
  let at = cell_at(s) + 3u * k;
  return vec3<f32>(kept[at], kept[at + 1u], kept[at + 2u]);
}

fn count_bins(s: u32, heights: vec3<f32>, size: vec3<f32>, is_periodic: vec3<bool>) {
  let atoms = first_of(s + 1u) - first_of(s);
  var counts = vec3<f32>(1.0);
  if (atoms >= 64u) { counts = clamp(floor(size * heights / params.reach), vec3<f32>(1.0), vec3<f32>(1024.0)); }
  loop {
    if (counts.x * counts.y * counts.z <= f32(atoms) || all(counts == vec3<f32>(1.0))) { break; }
    if (counts.x >= counts.y && counts.x >= counts.z) {
      counts.x = ceil(0.5 * counts.x);
    } else if (counts.y >= counts.z) {
      counts.y = ceil(0.5 * counts.y);
    } else {
      counts.z = ceil(0.5 * counts.z);
    }
  }
  var ranges = ceil(1.00001 * params.reach * counts / (size * heights));
  for (var k = 0u; k < 3u; k++) {
    if (!is_periodic[k]) { ranges[k] = min(ranges[k], counts[k] - 1.0); }
  }
  set_box(s, 8u, counts);
  set_box(s, 9u, ranges);
}

fn group(s: u32, lane: u32) {
  if (!is_due(s, lane)) { return; }
  let is_periodic = vec3<bool>(pbc[3u * s] != 0, pbc[3u * s + 1u] != 0, pbc[3u * s + 2u] != 0);
  var given = array<vec3<f32>, 3>(saved_row(s, 0u), saved_row(s, 1u), saved_row(s, 2u));
  var rows = completed(given, is_periodic);
  var normals = array<vec3<f32>, 3>(cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1]));
  let volume = dot(rows[0], normals[0]);
  var low = vec3<f32>(3e38);
  var high = vec3<f32>(-3e38);
  let end = first_of(s + 1u);
  for (var a = first_of(s) + lane; a < end; a += LANES) {
    let x = reference_of(a);
    let place = vec3<f32>(dot(x, normals[0]), dot(x, normals[1]), dot(x, normals[2])) / volume;
    low = min(low, place);
    high = max(high, place);
  }
  lows[lane] = low;
  highs[lane] = high;
  workgroupBarrier();
  for (var span = LANES / 2u; span > 0u; span = span / 2u) {
    if (lane < span) {
      lows[lane] = min(lows[lane], lows[lane + span]);
      highs[lane] = max(highs[lane], highs[lane + span]);
    }
    workgroupBarrier();
  }
  let atoms = end - first_of(s);
  for (var b = lane; b < atoms; b += LANES) { marks[bins_at(s) + b] = 0; }
  if (lane > 0u) { return; }
  var begin = vec3<f32>(0.0);
  var size = vec3<f32>(1.0);
  var heights = vec3<f32>(0.0);
  for (var k = 0u; k < 3u; k++) {
    set_box(s, k, rows[k]);
    set_box(s, 3u + k, normals[k] / volume);
    heights[k] = abs(volume) / sqrt(dot(normals[k], normals[k]));
    if (!is_periodic[k]) {
      begin[k] = lows[0][k];
      size[k] = max(highs[0][k] - lows[0][k], 1e-6 * params.reach / heights[k]);
    }
  }
  set_box(s, 6u, begin);
  set_box(s, 7u, size);
  count_bins(s, heights, size, is_periodic);
}`;

/** Finds the bin of each atom, and counts the atoms in each bin. */
export const BIN: string = /* wgsl */ `${LAYOUT}
fn atom(s: u32, a: u32) {
  if (atomicLoad(&marks[due_at(s)]) == 0) { return; }
  let x = reference_of(a);
  let counts = counts_of(s);
  var bin = 0;
  var wrapped = x;
  for (var k = 0u; k < 3u; k++) {
    var place = dot(x, boxed(s, 3u + k));
    var whole = 0.0;
    if (pbc[3u * s + k] != 0) { whole = floor(place); }
    place = (place - whole - boxed(s, 6u)[k]) / boxed(s, 7u)[k];
    bin = bin * counts[k] + clamp(i32(floor(place * f32(counts[k]))), 0, counts[k] - 1);
    wrapped -= whole * boxed(s, k);
    atomicStore(&marks[wraps_at(a) + k], -i32(whole));
  }
  for (var k = 0u; k < 3u; k++) { kept[wrapped_at(a) + k] = wrapped[k]; }
  atomicStore(&marks[bin_at(a)], bin);
  atomicAdd(&marks[bins_at(s) + u32(bin)], 1);
}`;

/** Computes the index of the first atom of each bin, as the prefix sum of the counts. */
export const SCAN: string = /* wgsl */ `${LAYOUT}${IS_DUE}
var<workgroup> sums: array<i32, LANES>;

fn group(s: u32, lane: u32) {
  if (!is_due(s, lane)) { return; }
  let bins = bins_of(s);
  let each = (bins + LANES - 1u) / LANES;
  let at = bins_at(s);
  var sum = 0;
  for (var b = lane * each; b < min(bins, (lane + 1u) * each); b++) { sum += marks[at + b]; }
  sums[lane] = sum;
  workgroupBarrier();
  var before = 0;
  for (var i = 0u; i < lane; i++) { before += sums[i]; }
  for (var b = lane * each; b < min(bins, (lane + 1u) * each); b++) {
    let many = marks[at + b];
    marks[at + b] = before;
    before += many;
  }
}`;

/** Lists the atoms of each bin, in an order that varies. Afterwards the counters contain the end of each bin. */
export const FILL: string = /* wgsl */ `${LAYOUT}
fn atom(s: u32, a: u32) {
  if (atomicLoad(&marks[due_at(s)]) == 0) { return; }
  let bin = u32(atomicLoad(&marks[bin_at(a)]));
  let slot = u32(atomicAdd(&marks[bins_at(s) + bin], 1));
  atomicStore(&marks[order_at(first_of(s) + slot)], i32(a));
}`;

/** Sorts the atoms of each bin, with one thread per bin. */
export const SORT: string = /* wgsl */ `${LAYOUT}
fn atom(s: u32, a: u32) {
  if (marks[due_at(s)] == 0) { return; }
  let bin = a - first_of(s);
  if (bin >= bins_of(s)) { return; }
  var begin = 0u;
  if (bin > 0u) { begin = u32(marks[bins_at(s) + bin - 1u]); }
  let end = u32(marks[bins_at(s) + bin]);
  let order = order_at(first_of(s));
  if (bins_of(s) == 1u) {
    for (var i = 0u; i < end; i++) { marks[order + i] = i32(first_of(s) + i); }
    return;
  }
  for (var i = begin + 1u; i < end; i++) {
    let one = marks[order + i];
    var to = i;
    while (to > begin && marks[order + to - 1u] > one) {
      marks[order + to] = marks[order + to - 1u];
      to--;
    }
    marks[order + to] = one;
  }
}`;
