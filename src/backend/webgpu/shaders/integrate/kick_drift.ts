import type { Shader } from "../../program/shader.ts";
import { addTo } from "../../wgsl/add_to.ts";

/** WGSL version of the kernel in src/kernels/integrate/kick_drift.ts. */
export const kickDrift: Shader = {
  passes: ({ has }) => [{
    per: "atom",
    changes: ["low"],
    code: /* wgsl */ `${addTo(has("low"))}

fn atom(s: u32, a: u32) {
  let w = 0.5 * dt[s] * weights[a];
  for (var k = 3u * a; k < 3u * a + 3u; k++) {
    let v = velocities[k] + w * forces[k];
    velocities[k] = v;
    add_to(k, dt[s] * v);
  }
}`,
  }],
};
