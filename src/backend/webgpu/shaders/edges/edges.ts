import { FAR } from "../../../../kernels/edges/edge_list.ts";
import type { Shader } from "../../program/shader.ts";
import { placesOf, placing } from "../../wgsl/edge_places.ts";

/**
 * WGSL version of the kernel in src/kernels/edges/edges.ts. Each atom counts its edges, then lists them from its own
 * index on, always in the same order.
 */
export const edges: Shader = {
  words: { atoms: "u32", room: "u32", once: "u32" },
  derived: ({ atoms }) => ({ atoms }),
  passes: ({ has }) => {
    const walk = walkOver(has("images"));
    return [
      { per: "atom", always: true, changes: ["places"], code: `${walk}${COUNT}` },
      ...placing("edge"),
      {
        per: "atom",
        always: true,
        changes: ["places", "edge_index", "edge_shifts", "edge_systems"],
        code: `${walk}${FILL}`,
      },
      {
        per: "group",
        always: true,
        changes: ["edge_index", "edge_shifts", "edge_systems"],
        code: PAD,
      },
    ];
  },
};

/** Returns the WGSL of the function `next`, which finds the next pair within the cutoff in the row of an atom. */
function walkOver(hasImages: boolean): string {
  const moved = (k: string) => hasImages ? ` + images[3u * a + ${k}]` : "";
  return /* wgsl */ `${placesOf("edge")}
var<private> target_atom: u32;
var<private> shift: vec3<f32>;

fn place_of(a: u32) -> vec3<f32> { return vec3<f32>(positions[3u * a], positions[3u * a + 1u], positions[3u * a + 2u]); }

fn began(a: u32) -> vec3<i32> {
  let at = params.atoms + 3u * a;
  return vec3<i32>(list[at]${moved("0u")}, list[at + 1u]${moved("1u")}, list[at + 2u]${
    moved("2u")
  });
}

// An atom and its image are a pair from both sides.
fn is_wanted(a: u32, j: u32, n: vec3<i32>) -> bool {
  if (params.once == 0u || j > a) { return true; }
  if (j < a) { return false; }
  return n.x > 0 || (n.x == 0 && (n.y > 0 || (n.y == 0 && n.z > 0)));
}

// The first entry from k on that is near; as many as there are where there is none.
fn next(s: u32, a: u32, start: u32) -> u32 {
  let many = u32(list[a]);
  for (var k = start; k < many; k++) {
    let entry = 4u * params.atoms + 2u * (k * params.atoms + a);
    let j = u32(list[entry]);
    let packed = list[entry + 1u];
    let n = vec3<i32>(packed & 255, (packed >> 8u) & 255, (packed >> 16u) & 255) - vec3<i32>(128) +
      began(j) - began(a);
    if (!is_wanted(a, j, n)) { continue; }
    shift = vec3<f32>(0.0);
    for (var l = 0u; l < 3u; l++) {
      let h = 9u * s + 3u * l;
      if (n[l] != 0) { shift += f32(n[l]) * vec3<f32>(cell[h], cell[h + 1u], cell[h + 2u]); }
    }
    let r = place_of(j) - place_of(a) + shift;
    if (dot(r, r) < params.limit * params.limit) {
      target_atom = j;
      return k;
    }
  }
  return many;
}
`;
}

const COUNT = /* wgsl */ `
fn atom(s: u32, a: u32) {
  var many = 0;
  if (moving[s] != 0) {
    let end = u32(list[a]);
    for (var k = next(s, a, 0u); k < end; k = next(s, a, k + 1u)) { many++; }
  }
  places[edge_many_at(a)] = many;
}`;

const FILL = /* wgsl */ `
fn atom(s: u32, a: u32) {
  let first = u32(places[edge_base_at(s)] + places[edge_begin_at(a)]);
  places[edge_begin_at(a)] = i32(first);
  let end = first + u32(places[edge_many_at(a)]);
  var k = 0u;
  for (var e = first; e < end; e++) {
    k = next(s, a, k) + 1u;
    edge_index[e] = i32(a);
    edge_index[params.room + e] = i32(target_atom);
    for (var d = 0u; d < 3u; d++) { edge_shifts[3u * e + d] = shift[d]; }
    edge_systems[e] = i32(s);
  }
}`;

const PAD = /* wgsl */ `${placesOf("edge")}
fn group(s: u32, lane: u32) {
  for (var e = edge_count() + s * LANES + lane; e < params.room; e += params.systems * LANES) {
    edge_index[e] = 0;
    edge_index[params.room + e] = 0;
    edge_shifts[3u * e] = ${FAR}.0;
    edge_shifts[3u * e + 1u] = 0.0;
    edge_shifts[3u * e + 2u] = 0.0;
    edge_systems[e] = 0;
  }
}`;
