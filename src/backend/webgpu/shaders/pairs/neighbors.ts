import { Control } from "../../../../kernels/kernel.ts";
import type { Shader, ShaderCall } from "../../program/shader.ts";
import { COMPLETED, lattice, ROWS } from "../../wgsl/cells.ts";
import { FrameWord } from "../../wgsl/module.ts";
import { PLACES } from "../../wgsl/pair_state.ts";

/**
 * See src/kernels/pairs/neighbors.ts. Lists are full, so that each atom sums its own forces: rows of the same capacity for
 * all atoms, found by bins whose atoms are in order, so that nothing depends on which thread came first.
 *
 * A row that is too long freezes everything that follows, to the call: the host lets the list grow and goes on there.
 */
export const neighbors: Shader = {
  words: { atoms: "u32", capacity: "u32", call: "u32", reach: "f32", slack: "f32" },
  derived: ({ atoms }) => ({ atoms }),
  scratch: () => ({ need: { type: "u32", length: 1 } }),
  passes: (call) => [
    { per: "group", atomic: ["control"], code: check(call) },
    { per: "group", code: PREPARE },
    { per: "atom", atomic: ["marks"], code: BIN },
    { per: "group", code: SCAN },
    { per: "atom", atomic: ["marks"], code: FILL },
    { per: "atom", code: SORT },
    { per: "atom", atomic: ["need"], code: LIST },
    { per: "system", atomic: ["frame", "need"], code: COMMIT },
  ],
};

/** Whether the pairs of a system are due, and where they are found from. */
function check({ has }: ShaderCall): string {
  const count = (k: string) => has("images") ? `images[3u * a + ${k}]` : "0";
  return /* wgsl */ `${PLACES}${ROWS}${COMPLETED}${lattice("back_by", "apart")}
const FARTHEST = 1e9;
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

fn diverge(s: u32) {
  atomicStore(&control[${Control.HALT}], 1);
  loop {
    let before = atomicLoad(&control[${Control.DIVERGED}]);
    if (before != 0 && before <= i32(s) + 1) { return; }
    let tried = atomicCompareExchangeWeak(&control[${Control.DIVERGED}], before, i32(s) + 1);
    if (tried.exchanged) {
      atomicStore(&control[${Control.CAUSE}], 0);
      return;
    }
  }
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

/** Reads what the pass after \`check\` wrote of a system's box. */
const LAYOUT = /* wgsl */ `${PLACES}
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

/** Whether a system's pairs are to be found: the same for a whole workgroup. */
const IS_DUE = /* wgsl */ `
var<workgroup> verdict: i32;

fn is_due(s: u32, lane: u32) -> bool {
  // A system without atoms has no bins: what would be its first is another's.
  if (lane == 0u) { verdict = select(0, marks[due_at(s)], first_of(s) < first_of(s + 1u)); }
  return workgroupUniformLoad(&verdict) != 0;
}
`;

/** The box of a system: rows 0 to 2, their inverse 3 to 5, where atoms begin 6 and how far they reach 7, bins 8, 9. */
const PREPARE = /* wgsl */ `${LAYOUT}${IS_DUE}${COMPLETED}
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

/** Which bin each atom is in, and how many are in each. */
const BIN = /* wgsl */ `${LAYOUT}
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

/** Where the atoms of each bin begin. */
const SCAN = /* wgsl */ `${LAYOUT}${IS_DUE}
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

/** The atoms of each bin, as they come; afterwards it is known where those of each bin end. */
const FILL = /* wgsl */ `${LAYOUT}
fn atom(s: u32, a: u32) {
  if (atomicLoad(&marks[due_at(s)]) == 0) { return; }
  let bin = u32(atomicLoad(&marks[bin_at(a)]));
  let slot = u32(atomicAdd(&marks[bins_at(s) + bin], 1));
  atomicStore(&marks[order_at(first_of(s) + slot)], i32(a));
}`;

/** The atoms of each bin in order: a thread for each bin. */
const SORT = /* wgsl */ `${LAYOUT}
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

/** The row of each atom: its count, where it began, then its entries, one of each atom after the other. */
const LIST = /* wgsl */ `${LAYOUT}
fn image_of(bin: i32, count: i32) -> i32 {
  if (bin < 0) { return (bin + 1) / count - 1; }
  return bin / count;
}

fn atom(s: u32, a: u32) {
  if (marks[due_at(s)] == 0) { return; }
  let counts = counts_of(s);
  let ranges = ranges_of(s);
  let own = marks[bin_at(a)];
  let place = vec3<i32>(own / (counts.y * counts.z), own / counts.z % counts.y, own % counts.z);
  let is_periodic = vec3<bool>(pbc[3u * s] != 0, pbc[3u * s + 1u] != 0, pbc[3u * s + 2u] != 0);
  let at = wrapped_at(a);
  let x = vec3<f32>(kept[at], kept[at + 1u], kept[at + 2u]);
  let limit = params.reach * 1.000001;
  var many = 0u;
  for (var u = place.x - ranges.x; u <= place.x + ranges.x; u++) {
    let p = image_of(u, counts.x);
    if (p != 0 && !is_periodic.x) { continue; }
    for (var v = place.y - ranges.y; v <= place.y + ranges.y; v++) {
      let q = image_of(v, counts.y);
      if (q != 0 && !is_periodic.y) { continue; }
      for (var w = place.z - ranges.z; w <= place.z + ranges.z; w++) {
        let r = image_of(w, counts.z);
        if (r != 0 && !is_periodic.z) { continue; }
        let bin = u32(((u - p * counts.x) * counts.y + v - q * counts.y) * counts.z + w - r * counts.z);
        let image = f32(p) * boxed(s, 0u) + f32(q) * boxed(s, 1u) + f32(r) * boxed(s, 2u);
        var o = 0u;
        if (bin > 0u) { o = u32(marks[bins_at(s) + bin - 1u]); }
        let end = u32(marks[bins_at(s) + bin]);
        for (; o < end; o++) {
          let j = u32(marks[order_at(first_of(s) + o)]);
          if (j == a && p == 0 && q == 0 && r == 0) { continue; }
          let other = wrapped_at(j);
          let delta = x - vec3<f32>(kept[other], kept[other + 1u], kept[other + 2u]) - image;
          if (!(dot(delta, delta) <= limit * limit)) { continue; }
          if (many < params.capacity) {
            let entry = 4u * params.atoms + 2u * (many * params.atoms + a);
            list[entry] = i32(j);
            list[entry + 1u] = (p + 128) | ((q + 128) << 8u) | ((r + 128) << 16u);
          }
          many++;
        }
      }
    }
  }
  list[a] = i32(min(many, params.capacity));
  for (var k = 0u; k < 3u; k++) {
    list[params.atoms + 3u * a + k] = marks[wraps_at(a) + k] - marks[images_at(a) + k];
  }
  atomicMax(&need[0], many);
}`;

/** The pairs are found; or the longest row did not fit, and all that follows must wait. */
const COMMIT = /* wgsl */ `${PLACES}
fn system(s: u32) {
  let due = marks[due_at(s)];
  let longest = atomicLoad(&need[0]);
  if (longest > params.capacity) {
    atomicStore(&frame[${FrameWord.NEED}u], longest);
    atomicStore(&frame[${FrameWord.OVERFLOW}u], params.call + 1u);
    atomicStore(&frame[${FrameWord.FROZEN}u], 1u);
    return;
  }
  if (due == 1) { marks[builds_at(s)] += 1; }
  marks[due_at(s)] = 0;
}`;
