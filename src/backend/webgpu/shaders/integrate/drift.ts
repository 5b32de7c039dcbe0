import type { Shader } from "../../program/shader.ts";
import { addTo } from "../../wgsl/add_to.ts";

/** WGSL version of the kernel in src/kernels/integrate/drift.ts. */
export const drift: Shader = {
  passes: ({ has }) => [{
    per: "atom",
    changes: ["low"],
    code: /* wgsl */ `${addTo(has("low"))}

fn atom(s: u32, a: u32) {
  let step = params.fraction * dt[s];
  for (var k = 3u * a; k < 3u * a + 3u; k++) { add_to(k, step * velocities[k]); }
}`,
  }],
};
