import type { Shader } from "../../program/shader.ts";

/**
 * WGSL version of the kernel in src/kernels/measure/fmax.ts. Norms are compared by their bits, so that NaN is the
 * largest.
 */
export const fmax: Shader = {
  passes: ({ has, length }) => [{
    per: "group",
    always: true,
    code: /* wgsl */ `
fn group(s: u32, lane: u32) {
  var largest = 0u;
  let end = first_of(s + 1u);
  for (var a = first_of(s) + lane; a < end; a += LANES) {
    let f = vec3<f32>(forces[3u * a], forces[3u * a + 1u], forces[3u * a + 2u]);
    var bits = size_bits(length_of(f));
    if (is_nan(f.x) || is_nan(f.y) || is_nan(f.z)) { bits = NOT_A_NUMBER; }
    largest = max(largest, bits);
  }
  largest = largest_of_lanes(lane, largest);
  if (lane > 0u) { return; }
  ${has("cellForces") ? ofCell(has("drives") ? length("drives") : 0) : ""}
  fmax[s] = wide(from_bits(largest));
}`,
  }],
};

/**
 * Returns the WGSL that includes the cell as one more atom with nine coordinates, in the stages that relax the cell.
 */
function ofCell(stages: number): string {
  return stages === 0 ? OF_CELL : `if (drives[min(stage[s], ${stages - 1})] != 0) {${OF_CELL}}`;
}

const OF_CELL = /* wgsl */ `
  var square = 0.0;
  var top = 0.0;
  var is_none = false;
  for (var k = 9u * s; k < 9u * s + 9u; k++) {
    square += cellForces[k] * cellForces[k];
    top = max(top, abs(cellForces[k]));
    is_none = is_none || is_nan(cellForces[k]);
  }
  var cell_bits = size_bits(sqrt(square));
  // A bound of the length where its square is beyond float32.
  if (size_bits(square) == INFINITE) { cell_bits = size_bits(3.0 * top); }
  if (is_none) { cell_bits = NOT_A_NUMBER; }
  largest = max(largest, cell_bits);
`;
