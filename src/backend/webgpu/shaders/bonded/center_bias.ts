import { Want } from "../../../../kernels/pairs/sum_pairs.ts";
import type { Shader } from "../../program/shader.ts";
import { unwrapped } from "../../wgsl/cells.ts";

/**
 * WGSL version of the kernel in src/kernels/bonded/center_bias.ts. The first pass sums the displacement of each
 * center, and the masses.
 */
export const centerBias: Shader = {
  words: { want: "u32" },
  scratch: ({ systems }) => ({ off: { type: "vec4<f32>", length: systems } }),
  passes: ({ has, number }) => [
    {
      per: "group",
      code: /* wgsl */ `${unwrapped(has)}

fn group(s: u32, lane: u32) {
  var mass = wide(0.0);
  var x = wide(0.0);
  var y = wide(0.0);
  var z = wide(0.0);
  let end = first_of(s + 1u);
  for (var a = first_of(s) + lane; a < end; a += LANES) {
    let m = masses[a];
    if (m == 0.0) { continue; }
    let place = unwrapped(a, s);
    mass = wide_add(mass, wide(m));
    x = wide_add(x, two_product(m, place.x));
    y = wide_add(y, two_product(m, place.y));
    z = wide_add(z, two_product(m, place.z));
  }
  mass = sum_of_lanes(lane, mass);
  x = sum_of_lanes(lane, x);
  y = sum_of_lanes(lane, y);
  z = sum_of_lanes(lane, z);
  if (lane > 0u) { return; }
  off[s] = vec4<f32>(0.0);
  if (mass.x == 0.0) { return; }
  off[s] = vec4<f32>(
    wide_add(wide_divide(x, mass), wide(-center[3u * s])).x,
    wide_add(wide_divide(y, mass), wide(-center[3u * s + 1u])).x,
    wide_add(wide_divide(z, mass), wide(-center[3u * s + 2u])).x,
    mass.x,
  );
}`,
    },
    {
      per: "atom",
      code: /* wgsl */ `
fn atom(s: u32, a: u32) {
  let d = off[s];
  if (stiffness[s] == 0.0 || d.w == 0.0 || masses[a] == 0.0) { return; }
  let pull = stiffness[s] * masses[a] / d.w;
  for (var i = 0u; i < 3u; i++) { forces[3u * a + i] -= pull * d[i]; }
}`,
    },
    ...(number("want") === 0 ? [] : [{
      per: "system" as const,
      code: /* wgsl */ `
fn system(s: u32) {
  let d = off[s];
  let k = stiffness[s];
  if (k == 0.0 || d.w == 0.0) { return; }
  if ((params.want & ${Want.ENERGY}u) != 0u) {
    energy[s] = wide_add(energy[s], wide(0.5 * k * dot(d.xyz, d.xyz)));
  }
  if ((params.want & ${Want.VIRIAL}u) == 0u) { return; }
  for (var i = 0u; i < 9u; i++) {
    virial[9u * s + i] = wide_add(virial[9u * s + i], wide(-k * d[i / 3u] * d[i % 3u]));
  }
}`,
    }]),
  ],
};
