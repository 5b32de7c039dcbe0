import type { Shader } from "../../program/shader.ts";
import { placesOf, placing } from "../../wgsl/edge_places.ts";

/** WGSL version of the kernel in src/kernels/edges/triplets.ts. */
export const triplets: Shader = {
  words: { atoms: "u32", room: "u32", edgeRoom: "u32" },
  derived: ({ atoms }) => ({ atoms }),
  passes: () => [
    { per: "atom", always: true, changes: ["places"], code: `${PLACES}${IS_SHORT}${COUNT}` },
    ...placing("triplet"),
    {
      per: "atom",
      always: true,
      changes: ["places", "centers", "triplets"],
      code: `${PLACES}${IS_SHORT}${FILL}`,
    },
    { per: "group", always: true, changes: ["centers", "triplets"], code: `${PLACES}${PAD}` },
  ],
};

const PLACES = `${placesOf("edge")}${placesOf("triplet")}`;

const IS_SHORT = /* wgsl */ `
fn place_of(a: u32) -> vec3<f32> { return vec3<f32>(positions[3u * a], positions[3u * a + 1u], positions[3u * a + 2u]); }

fn is_short(a: u32, e: u32) -> bool {
  let shift = vec3<f32>(edge_shifts[3u * e], edge_shifts[3u * e + 1u], edge_shifts[3u * e + 2u]);
  let r = place_of(u32(edge_index[params.edgeRoom + e])) - place_of(a) + shift;
  return dot(r, r) < params.limit * params.limit;
}
`;

const COUNT = /* wgsl */ `
fn atom(s: u32, a: u32) {
  let low = u32(places[edge_begin_at(a)]);
  let to = low + u32(places[edge_many_at(a)]);
  var short = 0;
  for (var e = low; e < to; e++) {
    if (is_short(a, e)) { short++; }
  }
  places[triplet_many_at(a)] = short * (short - 1) / 2;
}`;

/** Number of edges that one round of the inner loop handles. */
const ABREAST = 16;

/**
 * Lists the triplets of each atom. Mesa's software GPU silently ends the loops of a thread after 65,535 rounds in
 * total, and an atom with 362 short edges has that many triplets. Because each round handles several edges, an atom
 * may have 1,400 short edges.
 */
const FILL = /* wgsl */ `
fn list_pair(a: u32, e: u32, f: u32, to: u32, at: u32) -> u32 {
  if (f >= to) { return at; }
  if (!is_short(a, f)) { return at; }
  centers[at] = i32(a);
  triplets[at] = i32(e);
  triplets[params.room + at] = i32(f);
  return at + 1u;
}

fn atom(s: u32, a: u32) {
  if (places[triplet_many_at(a)] == 0) { return; }
  var at = u32(places[triplet_base_at(s)] + places[triplet_begin_at(a)]);
  let low = u32(places[edge_begin_at(a)]);
  let to = low + u32(places[edge_many_at(a)]);
  for (var e = low; e < to; e++) {
    if (!is_short(a, e)) { continue; }
    for (var f = e + 1u; f < to; f += ${ABREAST}u) {
      ${
  Array.from({ length: ABREAST }, (_, k) => `at = list_pair(a, e, f + ${k}u, to, at);`).join(
    "\n      ",
  )
}
    }
  }
}`;

const PAD = /* wgsl */ `
fn group(s: u32, lane: u32) {
  let padding = i32(edge_count());
  for (var t = triplet_count() + s * LANES + lane; t < params.room; t += params.systems * LANES) {
    centers[t] = 0;
    triplets[t] = padding;
    triplets[params.room + t] = padding;
  }
}`;
