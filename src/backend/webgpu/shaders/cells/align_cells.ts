import type { Shader } from "../../program/shader.ts";
import { COMPLETED_ROWS } from "../../wgsl/cells.ts";

/**
 * WGSL version of the kernel in src/kernels/cells/align_cells.ts. The first pass finds the axes, because the next one
 * rotates the cell from which they are found.
 */
export const alignCells: Shader = {
  scratch: ({ systems }) => ({ axes: { type: "vec4<f32>", length: 3 * systems } }),
  passes: () => [{
    per: "system",
    code: /* wgsl */ `${COMPLETED_ROWS}

// w of the first axis: whether there is anything to be turned.
fn system(s: u32) {
  axes[3u * s] = vec4<f32>(0.0);
  if (pbc[3u * s] == 0 && pbc[3u * s + 1u] == 0 && pbc[3u * s + 2u] == 0) { return; }
  let h = 9u * s;
  if (
    cell[h + 1u] == 0.0 && cell[h + 2u] == 0.0 && cell[h + 5u] == 0.0 && cell[h] >= 0.0 && cell[h + 4u] >= 0.0
  ) { return; }
  var rows = completed_rows(s);
  if (!(abs(dot(rows[0], cross(rows[1], rows[2]))) > 0.0)) { return; }
  let x = rows[0] / sqrt(dot(rows[0], rows[0]));
  var y = rows[1] - dot(x, rows[1]) * x;
  y = y / sqrt(dot(y, y));
  y = y - dot(x, y) * x; // once more, for what float32 left over
  y = y / sqrt(dot(y, y));
  let z = cross(x, y);
  axes[3u * s] = vec4<f32>(x, 1.0);
  axes[3u * s + 1u] = vec4<f32>(y, 0.0);
  axes[3u * s + 2u] = vec4<f32>(z, 0.0);
  for (var k = 0u; k < 3u; k++) {
    let row = row_of(s, k);
    cell[h + 3u * k] = dot(row, x);
    cell[h + 3u * k + 1u] = dot(row, y);
    cell[h + 3u * k + 2u] = dot(row, z);
  }
  cell[h + 1u] = 0.0;
  cell[h + 2u] = 0.0;
  cell[h + 5u] = 0.0;
}`,
  }, {
    per: "atom",
    code: /* wgsl */ `
fn turned_by(s: u32, v: vec3<f32>) -> vec3<f32> {
  return vec3<f32>(dot(v, axes[3u * s].xyz), dot(v, axes[3u * s + 1u].xyz), dot(v, axes[3u * s + 2u].xyz));
}

fn atom(s: u32, a: u32) {
  if (axes[3u * s].w == 0.0) { return; }
  let k = 3u * a;
  let x = turned_by(s, vec3<f32>(positions[k], positions[k + 1u], positions[k + 2u]));
  let v = turned_by(s, vec3<f32>(velocities[k], velocities[k + 1u], velocities[k + 2u]));
  let f = turned_by(s, vec3<f32>(forces[k], forces[k + 1u], forces[k + 2u]));
  for (var i = 0u; i < 3u; i++) {
    positions[k + i] = x[i];
    velocities[k + i] = v[i];
    forces[k + i] = f[i];
  }
}`,
  }],
};
