import { FARTHEST } from "../../../../../kernels/check_finite.ts";
import type { ShaderCall } from "../../../program/shader.ts";
import { COMPLETED, lattice, ROWS } from "../../../wgsl/cells.ts";
import { diverge } from "../../../wgsl/diverge.ts";
import { PLACES } from "../../../wgsl/pair_state.ts";

/**
 * Returns the WGSL that decides whether the pairs of a system are due, because an atom may have moved by more than
 * half the skin since the last search. It also stores the positions from which due pairs are found, and reports
 * diverged systems.
 */
export function decideDue({ has }: ShaderCall): string {
  const count = (k: string) => has("images") ? `images[3u * a + ${k}]` : "0";
  return /* wgsl */ `${PLACES}${ROWS}${COMPLETED}${lattice("back_by", "apart")}${diverge(0)}
const FARTHEST = ${FARTHEST}.0;
const MOST_CELLS = 1048576.0;
const FLATTEST = 0.015625;

var<private> apart: array<i32, 3>;
var<workgroup> verdict: i32;
// What takes the strain of a cell off positions, y = x + sum of (x . inverse) change, and how far atoms may go then.
var<workgroup> inverse: array<vec3<f32>, 3>;
var<workgroup> change: array<vec3<f32>, 3>;
var<workgroup> limit: f32;

fn periodic(s: u32) -> vec3<bool> {
  return vec3<bool>(pbc[3u * s] != 0, pbc[3u * s + 1u] != 0, pbc[3u * s + 2u] != 0);
}

fn pull_back(s: u32) {
  var is_same = true;
  for (var k = 0u; k < 9u; k++) { is_same = is_same && kept[cell_at(s) + k] == cell[9u * s + k]; }
  limit = params.slack;
  for (var k = 0u; k < 3u; k++) { change[k] = vec3<f32>(0.0); }
  if (is_same) { return; }
  var saved = array<vec3<f32>, 3>();
  for (var k = 0u; k < 3u; k++) {
    for (var i = 0u; i < 3u; i++) { saved[k][i] = kept[cell_at(s) + 3u * k + i]; }
  }
  let now = completed(array<vec3<f32>, 3>(row_of(s, 0u), row_of(s, 1u), row_of(s, 2u)), periodic(s));
  let before = completed(saved, periodic(s));
  let normals = array<vec3<f32>, 3>(cross(now[1], now[2]), cross(now[2], now[0]), cross(now[0], now[1]));
  let volume = dot(now[0], normals[0]);
  for (var k = 0u; k < 3u; k++) {
    inverse[k] = normals[k] / volume;
    change[k] = before[k] - now[k];
  }
  var square = 0.0;
  for (var d = 0u; d < 3u; d++) {
    let row = inverse[0][d] * change[0] + inverse[1][d] * change[1] + inverse[2][d] * change[2];
    square += dot(row, row);
  }
  limit = params.slack - 0.5 * sqrt(square) * (params.reach - 2.0 * params.slack);
  if (abs(volume) < 1e-30 || is_nan(limit) || !(limit > 0.0)) { limit = -1.0; }
}

fn pulled_back(x: vec3<f32>) -> vec3<f32> {
  return dot(x, inverse[0]) * change[0] + dot(x, inverse[1]) * change[1] + dot(x, inverse[2]) * change[2];
}

fn is_deep(s: u32) -> bool {
  var given = array<vec3<f32>, 3>(row_of(s, 0u), row_of(s, 1u), row_of(s, 2u));
  var rows = completed(given, periodic(s));
  for (var k = 0u; k < 3u; k++) {
    if (pbc[3u * s + k] == 0) { continue; }
    let normal = cross(rows[(k + 1u) % 3u], rows[(k + 2u) % 3u]);
    let size = sqrt(dot(normal, normal));
    if (!(size > 0.0)) { return false; }
    if (!(abs(dot(rows[k], normal)) / size >= FLATTEST * params.reach)) { return false; }
  }
  return true;
}

fn group(s: u32, lane: u32) {
  let before = marks[due_at(s)];
  let is_known = marks[builds_at(s)] > 0 && before == 0;
  var most = FARTHEST;
  for (var k = 0u; k < 3u; k++) {
    let row = row_of(s, k);
    if (pbc[3u * s + k] != 0) { most = min(most, MOST_CELLS * sqrt(dot(row, row))); }
  }
  if (lane == 0u && is_known) { pull_back(s); }
  workgroupBarrier();
  let is_strained = is_known && any(abs(change[0]) + abs(change[1]) + abs(change[2]) != vec3<f32>(0.0));
  let end = first_of(s + 1u);
  var found = 0u; // 1: moved, 2: lost
  for (var a = first_of(s) + lane; a < end; a += LANES) {
    for (var k = 0u; k < 3u; k++) {
      let x = positions[3u * a + k];
      if (is_nan(x) || is_infinite(x) || !(abs(x) <= most)) { found = 2u; }
    }
    if (is_known && found < 2u) {
      for (var k = 0u; k < 3u; k++) { apart[k] = ${count("k")} - marks[images_at(a) + k]; }
      let x = vec3<f32>(positions[3u * a], positions[3u * a + 1u], positions[3u * a + 2u]) + back_by(0u, s);
      let at = reference_at(a);
      var delta = x - vec3<f32>(kept[at], kept[at + 1u], kept[at + 2u]);
      if (is_strained) { delta += pulled_back(x); }
      if (!(dot(delta, delta) <= limit * limit)) { found = max(found, 1u); }
    }
  }
  found = largest_of_lanes(lane, found);
  if (lane == 0u) {
    var due = before;
    if (is_known && limit < 0.0) { found = max(found, 1u); }
    if (before == 0 && (!is_known || found == 1u)) { due = 1; }
    if (before != 2 && (found == 2u || (due == 1 && !is_deep(s)))) {
      due = 0;
      diverge(s);
    }
    marks[due_at(s)] = due;
    verdict = due;
  }
  if (workgroupUniformLoad(&verdict) != 1) { return; }
  for (var a = first_of(s) + lane; a < end; a += LANES) {
    for (var k = 0u; k < 3u; k++) {
      kept[reference_at(a) + k] = positions[3u * a + k];
      marks[images_at(a) + k] = ${count("k")};
    }
  }
  if (lane < 9u) { kept[cell_at(s) + lane] = cell[9u * s + lane]; }
}`;
}
