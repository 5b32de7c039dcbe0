import type { Shader } from "../../program/shader.ts";
import { COMPLETED_ROWS } from "../../wgsl/cells.ts";

/** WGSL version of the kernel in src/kernels/modify/wrap_positions.ts. */
export const wrapPositions: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `${COMPLETED_ROWS}

const EDGE = 1e-6;
const FAR = 1073741824.0;

fn atom(s: u32, a: u32) {
  if (pbc[3u * s] == 0 && pbc[3u * s + 1u] == 0 && pbc[3u * s + 2u] == 0) { return; }
  var rows = completed_rows(s);
  var normals = array<vec3<f32>, 3>(cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1]));
  let volume = dot(rows[0], normals[0]);
  if (volume == 0.0) { return; }
  let k = 3u * a;
  var x = vec3<f32>(positions[k], positions[k + 1u], positions[k + 2u]);
  if (is_nan(x.x) || is_nan(x.y) || is_nan(x.z)) { return; }
  if (is_infinite(x.x) || is_infinite(x.y) || is_infinite(x.z)) { return; }
  let reach = abs(row_of(s, 0u)) + abs(row_of(s, 1u)) + abs(row_of(s, 2u));
  let start = x;
  for (var row = 0u; row < 3u; row++) {
    if (pbc[3u * s + row] == 0) { continue; }
    let inverse = normals[row] / volume;
    let at = dot(start, inverse);
    let edge = EDGE * dot(reach, abs(inverse));
    if ((at >= -edge && at < 1.0) || !(abs(at) < FAR)) { continue; }
    let n = floor(at + edge);
    if (n == 0.0) { continue; }
    images[k + row] += i32(n);
    x -= n * row_of(s, row);
  }
  for (var i = 0u; i < 3u; i++) { positions[k + i] = x[i]; }
}`,
  }],
};
