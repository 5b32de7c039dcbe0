import { Level, Reduce } from "../../../../kernels/converge/criterion.ts";
import type { Shader } from "../../program/shader.ts";

/**
 * WGSL version of the kernel in src/kernels/converge/criterion.ts. NaN is detected by its bits before any comparison.
 */
export const criterion: Shader = {
  words: { width: "u32", level: "u32", reduce: "u32", threshold: "wide", each: "u32" },
  derived: ({ has, length, number, systems, atoms }) => {
    const owners = number("level") === Level.NODE ? atoms : systems;
    return { each: owners === 0 ? 0 : length(has("real") ? "real" : "f64") / owners };
  },
  passes: ({ has }) => [{
    per: "group",
    code: /* wgsl */ `
fn value_at(k: u32) -> vec2<f32> { return ${has("real") ? "wide(reals[k])" : "sums[k]"}; }

var<private> is_bad: bool;

fn reduced(at: u32) -> vec2<f32> {
  var least = value_at(at);
  var most = least;
  var sum = wide(0.0);
  var squares = wide(0.0);
  for (var k = at; k < at + params.width; k++) {
    let x = value_at(k);
    if (is_nan(x.x)) { is_bad = true; }
    least = wide_min(least, x);
    most = wide_max(most, x);
    sum = wide_add(sum, x);
    squares = wide_add(squares, wide_multiply(x, x));
  }
  switch (params.reduce) {
    case ${Reduce.MIN}u: { return least; }
    case ${Reduce.NORM}u: { return wide_root(squares); }
    case ${Reduce.MEAN}u: { return wide_divide(sum, wide(f32(params.width))); }
    case ${Reduce.SUM}u: { return sum; }
    default: { return most; }
  }
}

fn is_above(value: vec2<f32>) -> bool {
  return wide_less(vec2<f32>(params.threshold, params.threshold_low), value);
}

fn group(s: u32, lane: u32) {
  is_bad = false;
  var from_row = s;
  var to_row = s + 1u;
  if (params.level == ${Level.NODE}u) {
    from_row = first_of(s);
    to_row = first_of(s + 1u);
  }
  var misses = 0u;
  for (var k = params.each * from_row + lane * params.width; k < params.each * to_row; k += LANES * params.width) {
    let value = reduced(k);
    if (is_above(value) || is_nan(value.x)) { misses = 1u; }
  }
  if (is_bad) { misses = 1u; }
  misses = largest_of_lanes(lane, misses);
  if (lane == 0u && misses > 0u) { met[s] = 0; }
}`,
  }],
};
