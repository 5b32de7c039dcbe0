import { Freeze } from "../../../../kernels/modify/freeze_atoms.ts";
import type { Shader } from "../../program/shader.ts";
import { lattice } from "../../wgsl/cells.ts";

/** WGSL version of the kernel in src/kernels/modify/freeze_atoms.ts. */
export const freezeAtoms: Shader = {
  words: { what: "u32" },
  passes: ({ has }) => {
    const isCounted = has("images") && has("cell");
    return [{
      per: "atom",
      code: /* wgsl */ `${isCounted ? lattice("shifted", "images") : ""}

fn atom(s: u32, a: u32) {
  if (frozen[a] == 0) { return; }
  let off = ${isCounted ? "shifted(3u * a, s)" : "vec3<f32>(0.0)"};
  for (var i = 0u; i < 3u; i++) {
    if (((u32(frozen[a]) >> i) & 1u) == 0u) { continue; }
    let k = 3u * a + i;
    if ((params.what & ${Freeze.POSITIONS}u) != 0u) { positions[k] = anchors[k] - off[i]; }
    if ((params.what & ${Freeze.VELOCITIES}u) != 0u) { velocities[k] = 0.0; }
    if ((params.what & ${Freeze.FORCES}u) != 0u) { forces[k] = 0.0; }
  }
}`,
    }];
  },
};
