import type { Shader } from "../../program/shader.ts";

/** WGSL version of the kernel in src/kernels/constrain/hold_center.ts. */
export const holdCenter: Shader = {
  passes: ({ has }) => [{
    per: "group",
    changes: ["low"],
    code: /* wgsl */ `
const SLACK = 1.1920929e-7;

fn is_held(a: u32, axis: u32) -> bool {
  return ${has("held") ? "((u32(held[a]) >> axis) & 1u) != 0u" : "false"};
}

fn share_of(a: u32) -> f32 { return ${has("shares") ? "shares[a]" : "1.0"}; }

fn group(s: u32, lane: u32) {
  let end = first_of(s + 1u);
  for (var axis = 0u; axis < 3u; axis++) {
    var mass = wide(0.0);
    var moment = wide(0.0);
    var size = wide(0.0);
    for (var a = first_of(s) + lane; a < end; a += LANES) {
      if (is_held(a, axis)) { continue; }
      let k = 3u * a + axis;
      let moved = ${has("before") ? "opaque(vectors[k] - before[k])" : "vectors[k]"};
      let term = two_product(masses[a], moved);
      mass = wide_add(mass, two_product(masses[a], share_of(a)));
      moment = wide_add(moment, term);
      size = wide_add(size, wide(abs(term.x)));
    }
    mass = sum_of_lanes(lane, mass);
    moment = sum_of_lanes(lane, moment);
    size = sum_of_lanes(lane, size);
    if (!(abs(moment.x) > SLACK * size.x)) { continue; }
    let shift = -wide_divide(moment, mass).x;
    for (var a = first_of(s) + lane; a < end; a += LANES) {
      if (is_held(a, axis)) { continue; }
      let k = 3u * a + axis;
      let by = shift * share_of(a);
      ${
      has("low")
        ? "let sum = wide_add(two_sum(vectors[k], low[k]), wide(by)); vectors[k] = sum.x; low[k] = sum.y;"
        : "vectors[k] += by;"
    }
    }
  }
}`,
  }],
};
