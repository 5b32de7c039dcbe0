/**
 * Random numbers in WGSL; see src/kernels/philox.ts. Integers are bitwise identical, and Gaussian numbers agree to
 * the accuracy of float32. Logarithm, sine and cosine are computed as in wasm/src/philox.rs, because the builtin
 * functions may be inaccurate.
 *
 * @module
 */

/** Defines Philox4x32-10, and functions that convert its words to random numbers. */
export const PHILOX = /* wgsl */ `
fn high_word(a: u32, b: u32) -> u32 {
  let ah = a >> 16u;
  let al = a & 0xffffu;
  let bh = b >> 16u;
  let bl = b & 0xffffu;
  let mixed = ah * bl + ((al * bl) >> 16u);
  let middle = al * bh + (mixed & 0xffffu);
  return ah * bh + (mixed >> 16u) + (middle >> 16u);
}

fn philox(counter: vec4<u32>, seed: vec2<u32>) -> vec4<u32> {
  var c = counter;
  var k = seed;
  for (var round = 0u; round < 10u; round++) {
    c = vec4<u32>(
      high_word(0xCD9E8D57u, c.z) ^ c.y ^ k.x,
      0xCD9E8D57u * c.z,
      high_word(0xD2511F53u, c.x) ^ c.w ^ k.y,
      0xD2511F53u * c.x,
    );
    k += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
  }
  return c;
}

// ln u for 0 < u <= 1 and rest = 1 - u (Cephes, logf).
fn logarithm(u: f32, rest: f32) -> f32 {
  let exponent = bitcast<i32>(bitcast<u32>(u) - 0x3f3504f3u) >> 23u;
  let e = f32(exponent);
  let m = bitcast<f32>(bitcast<u32>(u) - (bitcast<u32>(exponent) << 23u));
  var f = m - 1.0;
  if (exponent == 0) { f = -rest; }
  let square = f * f;
  var tail = 7.0376836e-2;
  tail = tail * f - 1.151461e-1;
  tail = tail * f + 1.1676999e-1;
  tail = tail * f - 1.2420141e-1;
  tail = tail * f + 1.4249323e-1;
  tail = tail * f - 1.6668058e-1;
  tail = tail * f + 2.0000715e-1;
  tail = tail * f - 2.4999994e-1;
  tail = tail * f + 3.333333e-1;
  let small = f * square * tail + e * -2.1219444e-4 - 0.5 * square;
  return f + small + e * 0.6933594;
}

// The square root of -2 ln u, u = (floor(word/2) + 1/2)/2^31.
fn radius(word: u32) -> f32 {
  let whole = word >> 1u;
  let u = (f32(whole) + 0.5) * (1.0 / 2147483648.0);
  let rest = (f32(whole ^ 0x7fffffffu) + 0.5) * (1.0 / 2147483648.0);
  return sqrt(-2.0 * logarithm(u, rest));
}

// The cosine and sine of 2 pi word/2^32 (Cephes, sinf).
fn turned(word: u32) -> vec2<f32> {
  let quarter = (word + 0x20000000u) >> 30u;
  let r = f32(bitcast<i32>(word << 2u)) * (1.5707964 / 4294967296.0);
  let square = r * r;
  let sine = r + r * square * ((-1.9515296e-4 * square + 8.332161e-3) * square - 1.6666655e-1);
  let cosine = 1.0 - 0.5 * square +
    square * square * ((2.4433157e-5 * square - 1.3887316e-3) * square + 4.1666646e-2);
  switch (quarter) {
    case 0u: { return vec2<f32>(cosine, sine); }
    case 1u: { return vec2<f32>(-sine, cosine); }
    case 2u: { return vec2<f32>(-cosine, -sine); }
    default: { return vec2<f32>(sine, -cosine); }
  }
}

fn three_gaussians(words: vec4<u32>) -> vec3<f32> {
  return vec3<f32>(radius(words.x) * turned(words.y), radius(words.z) * turned(words.w).x);
}
`;
