import type { Shader } from "../shader.ts";

/** See src/kernels/stress.ts. */
export const stress: Shader = {
  passes: () => [{
    per: "system",
    always: true,
    code: /* wgsl */ `
fn minor(s: u32, i: u32, j: u32) -> vec2<f32> {
  let k = 9u * s;
  return wide_add(
    two_product(cell[k + 3u + i], cell[k + 6u + j]),
    -two_product(cell[k + 3u + j], cell[k + 6u + i]),
  );
}

fn system(s: u32) {
  var volume = wide_multiply(wide(cell[9u * s]), minor(s, 1u, 2u));
  volume = wide_add(volume, wide_multiply(wide(cell[9u * s + 1u]), minor(s, 2u, 0u)));
  volume = wide_add(volume, wide_multiply(wide(cell[9u * s + 2u]), minor(s, 0u, 1u)));
  if (volume.x < 0.0) { volume = -volume; }
  for (var k = 9u * s; k < 9u * s + 9u; k++) {
    if (volume.x == 0.0) { stress[k] = wide(0.0); } else { stress[k] = wide_divide(-virial[k], volume); }
  }
}`,
  }],
};
