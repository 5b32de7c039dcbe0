/**
 * WGSL for operations that float32 lacks: sums and products with twice the digits, and tests for
 * NaN and infinity.
 *
 * @module
 */

/**
 * Defines functions that hide numbers from the compiler. A compiler may reorder sums, which makes the error terms of
 * a compensated sum zero: Mesa folds (a + b) − a to b, and so does Metal's fast math. It may also assume that no
 * number is infinite or NaN. But it cannot simplify an exclusive or with a zero from a storage buffer. (A uniform is
 * not enough: Mesa specializes code for uniforms that conditions depend on.)
 */
export const BITS = /* wgsl */ `
const NOT_A_NUMBER: u32 = 0x7fc00000u;
const INFINITE: u32 = 0x7f800000u;

var<private> zero: u32;

fn opaque(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ zero); }

fn size_bits(x: f32) -> u32 { return bitcast<u32>(x) & 0x7fffffffu; }

fn is_nan(x: f32) -> bool { return size_bits(x) > INFINITE; }

fn is_infinite(x: f32) -> bool { return size_bits(x) == INFINITE; }

fn from_bits(bits: u32) -> f32 { return bitcast<f32>(bits ^ zero); }

// By the largest component where the square of the length is beyond float32.
fn length_of(v: vec3<f32>) -> f32 {
  let square = dot(v, v);
  if (size_bits(square) != INFINITE) { return sqrt(square); }
  let largest = max(abs(v.x), max(abs(v.y), abs(v.z)));
  let d = v / largest;
  return largest * sqrt(dot(d, d));
}
`;

/**
 * Defines numbers of about 48 bits, as a float32 and its remainder, and their operations (Dekker, Numer. Math. 18,
 * 224, 1971; Knuth's sum). Factors of products are split into halves by their bits, because WGSL does not guarantee
 * that `fma` is fused.
 */
export const DOUBLE = /* wgsl */ `
fn two_sum(a: f32, b: f32) -> vec2<f32> {
  let s = opaque(a + b);
  let t = opaque(s - a);
  return vec2<f32>(s, opaque(a - opaque(s - t)) + opaque(b - t));
}

fn quick_sum(a: f32, b: f32) -> vec2<f32> {
  let s = opaque(a + b);
  return vec2<f32>(s, b - opaque(s - a));
}

fn head(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }

fn two_product(a: f32, b: f32) -> vec2<f32> {
  let p = opaque(a * b);
  let ah = head(a);
  let bh = head(b);
  let al = opaque(a - ah);
  let bl = opaque(b - bh);
  return vec2<f32>(p, opaque(opaque(opaque(ah * bh) - p) + opaque(ah * bl)) + opaque(al * bh) + al * bl);
}

fn wide(x: f32) -> vec2<f32> { return vec2<f32>(x, 0.0); }

fn wide_add(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  let s = two_sum(a.x, b.x);
  let t = two_sum(a.y, b.y);
  let u = quick_sum(s.x, opaque(s.y + t.x));
  return quick_sum(u.x, opaque(u.y + t.y));
}

fn wide_multiply(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  let p = two_product(a.x, b.x);
  return quick_sum(p.x, opaque(p.y + opaque(opaque(a.x * b.y) + a.y * b.x)));
}

fn wide_divide(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  let first = opaque(a.x / b.x);
  var rest = wide_add(a, -wide_multiply(b, wide(first)));
  let second = opaque(rest.x / b.x);
  rest = wide_add(rest, -wide_multiply(b, wide(second)));
  return wide_add(quick_sum(first, second), wide(rest.x / b.x));
}

fn wide_root(a: vec2<f32>) -> vec2<f32> {
  let root = opaque(sqrt(max(a.x, 0.0)));
  let rest = wide_add(a, -two_product(root, root));
  return quick_sum(root, select(0.0, rest.x / (2.0 * root), root > 0.0));
}

fn wide_less(a: vec2<f32>, b: vec2<f32>) -> bool { return a.x < b.x || (a.x == b.x && a.y < b.y); }

fn wide_min(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { if (wide_less(b, a)) { return b; } return a; }

fn wide_max(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { if (wide_less(a, b)) { return b; } return a; }
`;

/**
 * Defines functions that reduce the numbers of the threads of a workgroup, always in the same order, so that results
 * are bitwise identical.
 */
export const REDUCE = /* wgsl */ `
var<workgroup> pool: array<vec2<f32>, LANES>;
var<workgroup> tops: array<u32, LANES>;

fn sum_of_lanes(lane: u32, value: vec2<f32>) -> vec2<f32> {
  workgroupBarrier();
  pool[lane] = value;
  workgroupBarrier();
  for (var span = LANES / 2u; span > 0u; span = span / 2u) {
    if (lane < span) { pool[lane] = wide_add(pool[lane], pool[lane + span]); }
    workgroupBarrier();
  }
  return pool[0];
}

fn largest_of_lanes(lane: u32, value: u32) -> u32 {
  workgroupBarrier();
  tops[lane] = value;
  workgroupBarrier();
  for (var span = LANES / 2u; span > 0u; span = span / 2u) {
    if (lane < span) { tops[lane] = max(tops[lane], tops[lane + span]); }
    workgroupBarrier();
  }
  return tops[0];
}
`;
