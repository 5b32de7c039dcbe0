import { PERIODIC_SHIFT, TYPE_BITS } from "../../../kernels/pairs/exclusions.ts";
import type { Shader } from "../program/shader.ts";
import { addSums, KEEP_SUMS, partials } from "./tile_sums.ts";

/**
 * Returns the shader of a pair potential; see src/kernels/pairs/sum_pairs.ts. `pair` defines `fn pair(square: f32,
 * at: u32) -> vec2<f32>`, which returns the energy and −(dE/dr)/r.
 *
 * Each atom sums over its own row, and each pair is in the rows of both atoms. So every pair is computed twice, but
 * no two threads add to one number. Atomic additions in an order that varies would make results differ in the last
 * bits from run to run.
 */
export function sumPairs(width: number, pair: string): Shader {
  return {
    words: { want: "u32", types: "u32", stride: "u32", atoms: "u32" },
    derived: ({ has, length, atoms }) => ({
      types: Math.sqrt(length("parameters") / width),
      stride: has("species") ? length("species") / atoms : 0,
      atoms,
    }),
    scratch: partials,
    passes: ({ has, number, length, atoms }) => [
      {
        per: "tile",
        code: `${KEEP_SUMS}${pair}${tile(width, has, has("species") && length("species") > atoms)}`,
      },
      ...addSums(number("want")),
    ],
  };
}

function tile(width: number, has: (name: string) => boolean, excludes: boolean): string {
  const moved = (k: string) => has("images") ? ` + images[3u * a + ${k}]` : "";
  const type = has("species") ? "type_of(a) * params.types + type_of(j)" : "0u";
  return /* wgsl */ `${has("species") ? TYPE_OF : ""}${excludes ? EXCLUSIONS : ""}
fn place_of(a: u32) -> vec3<f32> { return vec3<f32>(positions[3u * a], positions[3u * a + 1u], positions[3u * a + 2u]); }

fn began(a: u32) -> vec3<i32> {
  let at = params.atoms + 3u * a;
  return vec3<i32>(list[at]${moved("0u")}, list[at + 1u]${moved("1u")}, list[at + 2u]${
    moved("2u")
  });
}

// 1 - 10 x^3 + 15 x^4 - 6 x^5 over the last Å before the cutoff.
fn switched(now: vec2<f32>, square: f32, limit: f32) -> vec2<f32> {
  let distance = sqrt(square);
  let x = (distance - sqrt(limit) + params.switchWidth) / params.switchWidth;
  if (x <= 0.0) { return now; }
  let s = 1.0 - x * x * x * (10.0 + x * (6.0 * x - 15.0));
  let slope = -30.0 * x * x * (1.0 - x) * (1.0 - x) / params.switchWidth;
  return vec2<f32>(now.x * s, s * now.y - slope * now.x / distance);
}

fn tile(s: u32, t: u32, a: u32, lane: u32) {
  var e = wide(0.0);
  var w = array<f32, 9>();
  if (a < first_of(s + 1u)) {
    let h = 9u * s;
    let rows = mat3x3<f32>(
      cell[h], cell[h + 1u], cell[h + 2u], cell[h + 3u], cell[h + 4u], cell[h + 5u],
      cell[h + 6u], cell[h + 7u], cell[h + 8u],
    );
    let x = place_of(a);
    let own = began(a);
    var f = vec3<f32>(0.0);
    let many = u32(list[a]);
    var k = 0u;
    for (; k < many; k++) {
      let entry = 4u * params.atoms + 2u * (k * params.atoms + a);
      let j = u32(list[entry]);
      let packed = list[entry + 1u];
      let image = vec3<i32>(packed & 255, (packed >> 8u) & 255, (packed >> 16u) & 255) - vec3<i32>(128);
      let n = image + began(j) - own;
      var r = x - place_of(j);
      if (any(n != vec3<i32>(0))) { r -= rows * vec3<f32>(n); }
      let square = dot(r, r);
      let at = ${width}u * (${type});
      let limit = parameters[at + ${width - 2}u];
      if (!(square < limit)) { continue; }
      var now = pair(square, at);
      if (params.switchWidth > 0.0) { now = switched(now, square, limit); }
      ${excludes ? "now = excluded(now, s, a, j, r, rows);" : ""}
      f += now.y * r;
      e = wide_add(e, wide(now.x));
      for (var i = 0u; i < 9u; i++) { w[i] += now.y * r[i / 3u] * r[i % 3u]; }
    }
    ${excludes ? POISON : ""}
    for (var i = 0u; i < 3u; i++) { forces[3u * a + i] += f[i]; }
    e = 0.5 * e;
    for (var i = 0u; i < 9u; i++) { w[i] = 0.5 * w[i]; }
  }
  if (params.want != 0u) { keep_sums(t, lane, e, w); }
}`;
}

const TYPE_OF = /* wgsl */ `
fn type_of(a: u32) -> u32 {
  return u32(species[params.stride * a]) & ${TYPE_BITS}u;
}
`;

/**
 * Sets the forces of an incomplete loop to NaN, so that they are never mistaken for correct ones. Mesa's software GPU
 * silently ends the loops of a thread after 65,535 rounds in total. Rows are shorter than this (see gpu_pairs.ts),
 * but not with a loop over exclusions for each entry.
 */
const POISON = "if (k < many) { f = vec3<f32>(bitcast<f32>(0x7fc00000u | many)); }";

/**
 * Defines a function that scales the energy and the force of a pair if it is among the excluded atoms; see
 * src/kernels/pairs/exclusions.ts.
 */
const EXCLUSIONS = /* wgsl */ `
// Along a lattice vector that repeats: the other two, or what stands for them where they do not.
fn place_along(r: vec3<f32>, own: vec3<f32>, one: vec3<f32>, other: vec3<f32>, repeats: vec2<bool>) -> f32 {
  var normal = own;
  if (all(repeats)) { normal = cross(one, other); }
  else if (repeats.x) { normal = cross(one, cross(own, one)); }
  else if (repeats.y) { normal = cross(other, cross(own, other)); }
  return dot(r, normal) / dot(own, normal);
}

fn is_nearest(r: vec3<f32>, rows: mat3x3<f32>, periodic: u32) -> bool {
  for (var k = 0u; k < 3u; k++) {
    if ((periodic >> k & 1u) == 0u) { continue; }
    let m = (k + 1u) % 3u;
    let n = (k + 2u) % 3u;
    let repeats = vec2<bool>((periodic >> m & 1u) != 0u, (periodic >> n & 1u) != 0u);
    let place = place_along(r, rows[k], rows[m], rows[n], repeats);
    if (!(place >= -0.5 && place < 0.5)) { return false; }
  }
  return true;
}

fn excluded(now: vec2<f32>, s: u32, a: u32, j: u32, r: vec3<f32>, rows: mat3x3<f32>) -> vec2<f32> {
  let row = params.stride * a;
  let other = i32(j - first_of(s));
  for (var x = row + 1u; x < row + params.stride; x += 2u) {
    if (species[x] != other) { continue; }
    let forward = select(-r, r, a < j);
    if (!is_nearest(forward, rows, u32(species[row]) >> ${PERIODIC_SHIFT}u)) { return now; }
    let scale = bitcast<f32>(species[x + 1u]);
    if (scale == 0.0) { return vec2<f32>(0.0); }
    return scale * now;
  }
  return now;
}
`;
