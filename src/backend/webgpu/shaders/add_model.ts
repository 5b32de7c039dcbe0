import { Control } from "../../../kernels/kernel.ts";
import type { Shader } from "../program/shader.ts";
import { VOLUME } from "../wgsl/volume.ts";

/** WGSL version of the kernel in src/kernels/add_model.ts. */
export const addModel: Shader = {
  words: { perAtom: "u32", energyUnit: "wide", stressUnit: "wide" },
  scratch: ({ systems }) => ({ bad: { type: "u32", length: systems } }),
  passes: ({ has }) => [
    ...(has("atomForces") ? [{ per: "atom", code: ADD_FORCES } as const] : []),
    { per: "group", always: true, code: addSums(has) },
    ...(has("stresses") ? [{ per: "system", code: ADD_STRESS } as const] : []),
    { per: "group", always: true, changes: ["control"], code: REPORT_DIVERGED },
  ],
};

const ADD_FORCES = /* wgsl */ `
fn atom(s: u32, a: u32) {
  for (var k = 3u * a; k < 3u * a + 3u; k++) { forces[k] += params.forceUnit * atomForces[k]; }
}`;

const IS_BAD = /* wgsl */ `
fn is_bad(x: f32) -> bool { return is_nan(x) || is_infinite(x); }
`;

/** Returns the WGSL that adds energies, and checks that energies and forces are finite. */
function addSums(has: (name: string) => boolean): string {
  const constant = has("constants") ? "term = wide_add(term, constants[s]);" : "";
  const addEnergy = /* wgsl */ `
  var sum = wide(0.0);
  if (params.perAtom == 0u) {
    if (lane == 0u) { sum = wide(energies[s]); }
  } else {
    let end = first_of(s + 1u);
    for (var a = first_of(s) + lane; a < end; a += LANES) {
      if (is_bad(energies[a])) { found = 1u; } else { sum = wide_add(sum, wide(energies[a])); }
    }
  }
  if (is_bad(sum.x)) { found = 1u; }
  sum = sum_of_lanes(lane, sum);
  var term = wide_multiply(sum, vec2<f32>(params.energyUnit, params.energyUnit_low));
  ${constant}
  if (is_bad(term.x)) { found = 1u; }
  if (lane == 0u) { energy[s] = wide_add(energy[s], term); }`;
  const lookAtForces = /* wgsl */ `
  let end = 3u * first_of(s + 1u);
  for (var k = 3u * first_of(s) + lane; k < end; k += LANES) {
    if (is_bad(params.forceUnit * atomForces[k])) { found = 1u; }
  }`;
  return /* wgsl */ `${IS_BAD}
fn group(s: u32, lane: u32) {
  var found = 0u;
  if (moving[s] != 0) {
  ${has("energies") ? addEnergy : ""}
  ${has("atomForces") ? lookAtForces : ""}
  }
  found = largest_of_lanes(lane, found);
  if (lane == 0u) { bad[s] = found; }
}`;
}

const ADD_STRESS = /* wgsl */ `${VOLUME}${IS_BAD}
fn system(s: u32) {
  let volume = volume_of(s);
  if (volume.x == 0.0) { return; }
  let unit = wide_multiply(-volume, vec2<f32>(params.stressUnit, params.stressUnit_low));
  for (var k = 9u * s; k < 9u * s + 9u; k++) {
    let term = wide_multiply(unit, wide(stresses[k]));
    if (is_bad(term.x)) { bad[s] = 1u; }
    virial[k] = wide_add(virial[k], term);
  }
}`;

/** Reports the diverged system with the lowest index, unless a system with a lower one was reported in this step. */
const REPORT_DIVERGED = /* wgsl */ `
fn group(first: u32, lane: u32) {
  if (first != 0u) { return; }
  var left = 0u;
  for (var s = lane; s < params.systems; s += LANES) {
    if (bad[s] != 0u) { left = max(left, params.systems - s); }
  }
  left = largest_of_lanes(lane, left);
  if (lane != 0u || left == 0u) { return; }
  let found = i32(params.systems - left) + 1;
  let known = control[${Control.DIVERGED}];
  if (known == 0 || found < known) {
    control[${Control.DIVERGED}] = found;
    control[${Control.CAUSE}] = 1;
  }
  control[${Control.HALT}] = 1;
}`;
