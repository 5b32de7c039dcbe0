/**
 * Defines a function that returns the volume of a system's cell, also for left-handed cells; see `signedVolume` in
 * src/kernels/cells/inverse.ts.
 */
export const VOLUME = /* wgsl */ `
fn minor(s: u32, i: u32, j: u32) -> vec2<f32> {
  let k = 9u * s;
  return wide_add(
    two_product(cell[k + 3u + i], cell[k + 6u + j]),
    -two_product(cell[k + 3u + j], cell[k + 6u + i]),
  );
}

fn volume_of(s: u32) -> vec2<f32> {
  var volume = wide_multiply(wide(cell[9u * s]), minor(s, 1u, 2u));
  volume = wide_add(volume, wide_multiply(wide(cell[9u * s + 1u]), minor(s, 2u, 0u)));
  volume = wide_add(volume, wide_multiply(wide(cell[9u * s + 2u]), minor(s, 0u, 1u)));
  if (volume.x < 0.0) { return -volume; }
  return volume;
}
`;
