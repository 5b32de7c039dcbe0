import type { Shader, ShaderCall } from "../../program/shader.ts";
import { lattice, unwrapped } from "../../wgsl/cells.ts";
import { addTerms } from "../../wgsl/tile_sums.ts";

/**
 * WGSL version of the kernel in src/kernels/bonded/harmonic_bonds.ts. The first pass computes the force of each bond.
 * Each atom then sums the forces of its bonds, in their order, so that no two threads add to one number.
 */
export const harmonicBonds: Shader = {
  words: { want: "u32" },
  scratch: (call) => ({
    pulls: { type: "vec4<f32>", length: 2 * (call.length("bonds") / 2) },
    bondsOf: bondsOf(call),
  }),
  passes: ({ has, number }) => {
    const isShifted = has("shifts") && has("cell");
    return [
      {
        per: "group",
        always: true,
        code: /* wgsl */ `${unwrapped(has)}${isShifted ? lattice("moved_by", "shifts") : ""}

fn group(s: u32, lane: u32) {
  let end = u32(starts[s + 1u]);
  for (var b = u32(starts[s]) + lane; b < end; b += LANES) {
    let i = first_of(s) + u32(bonds[2u * b]);
    let j = first_of(s) + u32(bonds[2u * b + 1u]);
    let d = unwrapped(j, s) - unwrapped(i, s)${isShifted ? " + moved_by(3u * b, s)" : ""};
    let r = sqrt(dot(d, d));
    let stretch = r - lengths[b];
    var pull = 0.0;
    if (r != 0.0) { pull = stiffness[b] * stretch / r; }
    pulls[2u * b] = vec4<f32>(pull * d, 0.5 * stiffness[b] * stretch * stretch);
    pulls[2u * b + 1u] = vec4<f32>(d, 0.0);
  }
}`,
      },
      {
        per: "atom",
        code: /* wgsl */ `
fn atom(s: u32, a: u32) {
  var f = vec3<f32>(forces[3u * a], forces[3u * a + 1u], forces[3u * a + 2u]);
  let end = bondsOf[a + 1u];
  for (var n = bondsOf[a]; n < end; n++) {
    let one = bondsOf[n];
    let pull = pulls[2u * (one >> 1u)].xyz;
    if ((one & 1u) == 0u) { f += pull; } else { f -= pull; }
  }
  for (var i = 0u; i < 3u; i++) { forces[3u * a + i] = f[i]; }
}`,
      },
      ...addTerms(
        number("want"),
        ["u32(starts[s])", "u32(starts[s + 1u])"],
        "wide(term(t, c))",
        TERM,
      ),
    ];
  },
};

/** Defines the energy of a bond (c = 0), and the components of its virial (c = 1 … 9). */
const TERM = /* wgsl */ `
fn term(b: u32, c: u32) -> f32 {
  if (c == 0u) { return pulls[2u * b].w; }
  return -pulls[2u * b][(c - 1u) / 3u] * pulls[2u * b + 1u][(c - 1u) % 3u];
}
`;

/**
 * Returns an array of two parts. The first part has, for each atom, the index in the array where its bonds begin,
 * followed by the end of the last list. The second part lists the bonds of all atoms: twice the index of the bond,
 * plus 1 if the atom is the second one of the bond.
 */
function bondsOf({ atoms, systems, offsets, written }: ShaderCall) {
  const starts = written("starts"), bonds = written("bonds");
  const of: number[][] = Array.from({ length: atoms }, () => []);
  for (let s = 0; s < systems; s++) {
    for (let b = starts[s]!; b < starts[s + 1]!; b++) {
      of[offsets[s]! + bonds[2 * b]!]!.push(2 * b);
      of[offsets[s]! + bonds[2 * b + 1]!]!.push(2 * b + 1);
    }
  }
  const places = [atoms + 1];
  for (const one of of) places.push(places.at(-1)! + one.length);
  const values = Uint32Array.from([...places, ...of.flat()]);
  return { type: "u32" as const, length: values.length, values };
}
