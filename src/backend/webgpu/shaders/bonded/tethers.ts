import type { Shader } from "../../program/shader.ts";
import { unwrapped } from "../../wgsl/cells.ts";
import { addSums, KEEP_SUMS, partials } from "../../wgsl/tile_sums.ts";

/** WGSL version of the kernel in src/kernels/bonded/tethers.ts. */
export const tethers: Shader = {
  words: { want: "u32" },
  scratch: partials,
  passes: ({ has, number }) => [{
    per: "tile",
    code: /* wgsl */ `${KEEP_SUMS}${unwrapped(has)}

fn tile(s: u32, t: u32, a: u32, lane: u32) {
  var e = wide(0.0);
  var w = array<f32, 9>();
  if (a < first_of(s + 1u)) {
    let k = stiffness[a];
    if (k != 0.0) {
      let d = unwrapped(a, s) - vec3<f32>(anchors[3u * a], anchors[3u * a + 1u], anchors[3u * a + 2u]);
      for (var i = 0u; i < 3u; i++) { forces[3u * a + i] -= k * d[i]; }
      e = wide(0.5 * k * dot(d, d));
      for (var i = 0u; i < 9u; i++) { w[i] = -k * d[i / 3u] * d[i % 3u]; }
    }
  }
  if (params.want != 0u) { keep_sums(t, lane, e, w); }
}`,
  }, ...addSums(number("want"))],
};
