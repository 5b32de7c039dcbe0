import type { Shader } from "../../program/shader.ts";
import { DEFORMATION, strainOf } from "../../wgsl/deformation.ts";

/**
 * WGSL version of the kernel in src/kernels/cells/deform.ts. The pass over atoms comes first, because it needs the
 * cell before the deformation.
 */
export const deform: Shader = {
  passes: () => [{
    per: "atom",
    code: /* wgsl */ `${DEFORMATION}${strainOf("strained", "change_of")}
fn atom(s: u32, a: u32) {
  let k = 3u * a;
  let before = strain_of(s);
  let change = change_of(s);
  let x = vec3<f32>(positions[k], positions[k + 1u], positions[k + 2u]);
  let with_cell = (change * inverted(IDENTITY + before)) * x;
  let own = (IDENTITY + before + change) * vec3<f32>(moved[k], moved[k + 1u], moved[k + 2u]);
  for (var i = 0u; i < 3u; i++) {
    positions[k + i] = x[i] + (with_cell[i] + own[i]);
    moved[k + i] = 0.0;
  }
}`,
  }, {
    per: "system",
    code: /* wgsl */ `${DEFORMATION}
fn system(s: u32) {
  for (var k = 9u * s; k < 9u * s + 9u; k++) {
    strain[k] += strained[k];
    strained[k] = 0.0;
  }
  let after = strain_of(s);
  for (var i = 0u; i < 3u; i++) {
    let h = 18u * s + 3u * i;
    let row = vec3<f32>(reference[h], reference[h + 1u], reference[h + 2u]);
    let change = after * row;
    for (var k = 0u; k < 3u; k++) {
      let now = row[k] + change[k];
      cell[9u * s + 3u * i + k] = now;
      reference[h + 9u + k] = now;
    }
  }
}`,
  }],
};
