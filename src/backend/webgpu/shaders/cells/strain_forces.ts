import { StrainParameter as P } from "../../../../kernels/cells/strain_forces.ts";
import type { Pass, Shader } from "../../program/shader.ts";
import { ROWS } from "../../wgsl/cells.ts";
import { DEFORMATION } from "../../wgsl/deformation.ts";
import { VOLUME } from "../../wgsl/volume.ts";

/** Returns from the function if the stage of a system is not in the range of the call. */
const LEAVE = /* wgsl */ `
  if (stage[s] < params.first || stage[s] >= params.end) { return; }
`;

const pulled = (leave: string): Pass => ({
  per: "atom",
  changes: ["pulled"],
  code: /* wgsl */ `${DEFORMATION}
fn atom(s: u32, a: u32) {${leave}
  let f = (IDENTITY + strain_of(s)) * vec3<f32>(forces[3u * a], forces[3u * a + 1u], forces[3u * a + 2u]);
  for (var i = 0u; i < 3u; i++) { pulled[3u * a + i] = f[i]; }
}`,
});

/** WGSL version of the kernel in src/kernels/cells/strain_forces.ts. */
export const strainForces: Shader = {
  words: { first: "i32", end: "i32" },
  passes: ({ has }) => [{
    per: "system",
    always: true,
    changes: has("enthalpy") ? ["enthalpy"] : [],
    code: /* wgsl */ `${DEFORMATION}${ROWS}${VOLUME}
fn outer(v: vec3<f32>) -> mat3x3<f32> {
  let one = v / sqrt(dot(v, v));
  return mat3x3<f32>(one * one.x, one * one.y, one * one.z);
}

fn along_periodic(s: u32) -> mat3x3<f32> {
  var given: array<u32, 3>;
  var count = 0u;
  for (var k = 0u; k < 3u; k++) {
    if (pbc[3u * s + k] != 0) {
      given[count] = k;
      count++;
    }
  }
  if (count == 0u) { return IDENTITY - IDENTITY; }
  if (count == 1u) { return outer(row_of(s, given[0])); }
  if (count == 2u) { return IDENTITY - outer(cross(row_of(s, given[0]), row_of(s, given[1]))); }
  return IDENTITY;
}

fn system(s: u32) {${has("stage") ? LEAVE : ""}
  var is_changed = false;
  for (var k = 0u; k < 9u; k++) {
    if (cell[9u * s + k] != reference[18u * s + 9u + k]) { is_changed = true; }
  }
  if (is_changed && moving[s] != 0) {
    for (var k = 0u; k < 9u; k++) {
      strain[9u * s + k] = 0.0;
      reference[18u * s + k] = cell[9u * s + k];
      reference[18u * s + 9u + k] = cell[9u * s + k];
    }
  }
  var f = IDENTITY;
  if (!is_changed) { f += strain_of(s); }
  let outside = wide_multiply(parameters[${P.LENGTH}u * s + ${P.PRESSURE}u], volume_of(s));
  var stretching: mat3x3<f32>;
  for (var k = 0u; k < 9u; k++) {
    var one = virial[9u * s + k];
    if (k % 4u == 0u) { one = wide_add(one, -outside); }
    stretching[k / 3u][k % 3u] = one.x;
  }
  let along = along_periodic(s);
  let force = inverted(f) * stretching;
  var driven = along * (0.5 * (force + transpose(force))) * along;
  if (parameters[${P.LENGTH}u * s + ${P.ISOTROPIC}u].x != 0.0) {
    let directions = along[0].x + along[1].y + along[2].z;
    var part = 0.0;
    if (directions > 0.0) { part = (driven[0].x + driven[1].y + driven[2].z) / directions; }
    driven = along * part;
  }
  let length = strain_length(s);
  for (var k = 0u; k < 9u; k++) { cellForces[9u * s + k] = driven[k / 3u][k % 3u] / length; }
  ${has("enthalpy") ? "enthalpy[s] = wide_add(energy[s], outside);" : ""}
}`,
  }, ...(has("pulled") ? [pulled(has("stage") ? LEAVE : "")] : [])],
};
