import { FARTHEST } from "../../../kernels/check_finite.ts";
import { Control } from "../../../kernels/kernel.ts";
import type { Shader } from "../program/shader.ts";

/**
 * WGSL version of the kernel in src/kernels/check_finite.ts. NaN and infinity are detected by their bits, because
 * compilers may assume that they do not occur.
 */
export const checkFinite: Shader = {
  scratch: ({ systems }) => ({ causes: { type: "u32", length: systems } }),
  passes: ({ has }) => [
    { per: "group", always: true, code: look(has) },
    { per: "group", always: true, changes: ["control"], code: REPORT },
  ],
};

/**
 * Returns the WGSL that writes to `causes`, for each system, 1 plus the value for `Control.CAUSE` if a number of the
 * system is not finite, otherwise 0.
 */
function look(has: (name: string) => boolean): string {
  const test = (value: string, found: string, others = "") =>
    `if (is_nan(${value}) || is_infinite(${value})${others}) { found |= ${found}; }`;
  const tests = [
    ...(has("positions")
      ? [test("positions[k]", "4u", " || !(abs(positions[k]) <= FARTHEST)")]
      : []),
    ...(has("forces") ? [test("forces[k]", "2u")] : []),
    ...(has("velocities") ? [test("velocities[k]", "1u")] : []),
  ];
  return /* wgsl */ `
const FARTHEST = ${FARTHEST}.0;

fn group(s: u32, lane: u32) {
  var found = 0u;
  if (moving[s] != 0) {
    let end = 3u * first_of(s + 1u);
    for (var k = 3u * first_of(s) + lane; k < end; k += LANES) {
      ${tests.join("\n      ")}
    }
    ${has("cell") ? `if (lane < 9u) { ${test("cell[9u * s + lane]", "4u")} }` : ""}
    ${has("energy") ? test("energy[s].x", "2u") : ""}
  }
  // The largest has the highest bit of all lanes.
  found = largest_of_lanes(lane, found);
  if (lane != 0u) { return; }
  causes[s] = select(select(select(0u, 4u, found >= 1u), 2u, found >= 2u), 1u, found >= 4u);
}`;
}

/** Reports the diverged system with the lowest index, unless a system with a lower one was reported in this step. */
const REPORT = /* wgsl */ `
fn group(first: u32, lane: u32) {
  if (first != 0u) { return; }
  var left = 0u;
  for (var s = lane; s < params.systems; s += LANES) {
    if (causes[s] != 0u) { left = max(left, params.systems - s); }
  }
  left = largest_of_lanes(lane, left);
  if (lane != 0u || left == 0u) { return; }
  let s = params.systems - left;
  let known = control[${Control.DIVERGED}];
  if (known == 0 || i32(s) + 1 < known) {
    control[${Control.DIVERGED}] = i32(s) + 1;
    control[${Control.CAUSE}] = i32(causes[s]) - 1;
  }
  control[${Control.HALT}] = 1;
}`;
