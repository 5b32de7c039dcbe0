/** Trials of kernels that list the inputs of graph models, and add their outputs. */
import { call } from "../../backend/backend.ts";
import { addModel } from "../../kernels/add_model.ts";
import { edges as listEdges } from "../../kernels/edges/edges.ts";
import { neighbors } from "../../kernels/pairs/neighbors.ts";
import { triplets as listTriplets } from "../../kernels/edges/triplets.ts";
import { normals } from "../lab.ts";
import type { Trials } from "../trial.ts";
import { seed, type World } from "../world.ts";
import { sumsOf } from "./sums.ts";

/** Sets up lists of edges shorter than 4.5 Å, and of triplets of the edges shorter than `reach`. */
function listing(world: World, reach: number) {
  const { lab } = world;
  const [positions, cell] = [world.atom("positions"), world.system("cell")];
  const place = { positions, cell, images: world.whole("images") };
  const pairs = lab.backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
  const edges = lab.backend.edges(lab.frame, { pairs, cutoff: CUTOFF, isHalf: false, reach });
  const calls = [
    call(neighbors, { pairs, ...place, pbc: world.whole("pbc") }),
    call(listEdges, { edges, ...place }),
  ];
  return { edges, positions, calls };
}

const CUTOFF = 4.5;
const REACH = 4;

/** Reads the lists: edge vectors, first atoms of edges, and edges of triplets. */
async function listed(world: World, { edges, positions }: ReturnType<typeof listing>) {
  const { index, shifts, counts, triplets } = edges;
  const [x, atoms, by, many, both] = await world.lab.readAll(
    [positions, index, shifts, counts, triplets],
  ) as [number[], number[], number[], number[], number[]];
  const { capacity, tripletCapacity } = edges;
  const vector = (e: number) =>
    [0, 1, 2].map((d) => x[3 * atoms[capacity + e]! + d]! - x[3 * atoms[e]! + d]! + by[3 * e + d]!);
  return {
    vector,
    sources: atoms,
    edges: many[0]!,
    triplets: many[1]!,
    pair: (t: number) => [both[t]!, both[tripletCapacity + t]!] as const,
    zeros: (width: number): number[] => Array(width * (x.length / 3)).fill(0),
  };
}

/**
 * Returns a weight that decreases from 1 at zero distance to 0 at the cutoff, so that rounding at the cutoff does not
 * matter.
 */
function fade(r: readonly number[], cutoff: number): number {
  return (1 - r.reduce((sum, x) => sum + x * x, 0) / cutoff ** 2) ** 2;
}

/**
 * Returns, for each system, sums over the edges of each atom that do not depend on the order of edges: their weighted
 * number and directions.
 */
async function starsOf(world: World, list: ReturnType<typeof listing>): Promise<number[][]> {
  const { vector, sources, edges, zeros } = await listed(world, list);
  const all = zeros(4);
  for (let e = 0; e < edges; e++) {
    const r = vector(e), weight = fade(r, CUTOFF);
    for (const [k, x] of [1, ...r].entries()) all[4 * sources[e]! + k]! += weight * x;
  }
  return world.split(all, 4);
}

/**
 * Returns, for each system, a sum over the triplets of each atom that does not depend on the order of triplets: their
 * number and angles.
 */
async function fansOf(world: World, list: ReturnType<typeof listing>): Promise<number[][]> {
  const { vector, pair, sources, triplets, zeros } = await listed(world, list);
  const all = zeros(1);
  for (let t = 0; t < triplets; t++) {
    const [first, second] = pair(t);
    const [r, q] = [vector(first), vector(second)];
    const angle = r.reduce((sum, x, d) => sum + x * q[d]!, 0);
    all[sources[first]!]! += fade(r, REACH) * fade(q, REACH) * (2 + angle);
  }
  return world.split(all, 1);
}

/** Trials of edge lists, triplet lists and model outputs, by kernel. */
export const GRAPHS: Trials = {
  edges(world) {
    const list = listing(world, 0);
    return { calls: list.calls, looks: { edges: () => starsOf(world, list) } };
  },
  triplets(world) {
    const list = listing(world, REACH);
    const { edges, positions, calls } = list;
    return {
      calls: [...calls, call(listTriplets, { edges, positions })],
      looks: { triplets: () => fansOf(world, list) },
    };
  },
  add_model(world) {
    const looks = { ...sumsOf(world) };
    const args = {
      atomForces: world.atom("velocities"),
      cell: world.system("cell"),
      ...looks,
      stresses: world.systems("real", 9, ({ id }) => normals(9, seed(41, id))),
      constants: world.systems("f64", 1, ({ id }) => normals(1, seed(42, id), 1e4)),
      forceUnit: 1.1,
      energyUnit: 0.0367,
      stressUnit: 1 / 160.2,
    };
    const energies = world.systems("real", 1, ({ id }) => normals(1, seed(43, id)));
    const perAtom = world.atoms("real", 1, ({ size, id }) => normals(size, seed(44, id)));
    return {
      calls: [
        call(addModel, { ...args, energies, perAtom: 0 }),
        call(addModel, { ...args, energies: perAtom, perAtom: 1 }),
      ],
      looks,
    };
  },
};
