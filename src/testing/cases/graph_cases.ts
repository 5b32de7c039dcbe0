/**
 * Test cases for the inputs and outputs of graph models on any backend.
 *
 * @module
 */

import { type Backend, call } from "../../backend/backend.ts";
import { addModel } from "../../kernels/add_model.ts";
import { edges as listEdges } from "../../kernels/edges/edges.ts";
import { Control } from "../../kernels/kernel.ts";
import { neighbors } from "../../kernels/pairs/neighbors.ts";
import { triplets as listTriplets } from "../../kernels/edges/triplets.ts";
import { assertSameBits } from "../assert_near.ts";
import { claim, claimRefused, onBackend } from "../claims.ts";
import type { MakeBackend } from "./kernel_cases.ts";
import { Lab } from "../lab.ts";
import type { TestCase } from "./test_case.ts";

/** Returns cases for edge lists (order, padding and growth), and for non-finite outputs of a graph. */
export function graphCases(open: MakeBackend): TestCase[] {
  return [
    onBackend(open, "lists of edges are in order, padded, and grow within a run", lists),
    onBackend(open, "edge lists that exceed their pair list are rejected", refused),
    onBackend(open, "a non-finite output of a graph halts the run and is reported", nonFinite),
  ];
}

/**
 * Tests the edge lists of a pair and of a row of 40 atoms: first at distances of 4 Å, where each atom has up to two
 * neighbors, then at 0.19 Å, where the lists must grow.
 */
async function lists(backend: Backend): Promise<void> {
  const lab = new Lab(backend, [2, 40]);
  const row = Array.from({ length: 40 }, (_, i) => [0, 4 * i, 0]).flat();
  const positions = lab.real([0, 0, 0, 3, 0, 0, ...row]);
  const cell = lab.real(Array(18).fill(0)), pbc = lab.i32(Array(6).fill(0));
  const pairs = backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
  const edges = backend.edges(lab.frame, { pairs, cutoff: 5, isHalf: false, reach: 5 });
  const list = async () => {
    await lab.run([
      call(neighbors, { pairs, positions, cell, pbc }),
      call(listEdges, { edges, positions, cell }),
      call(listTriplets, { edges, positions }),
    ]);
    const { index, shifts, systems, centers, triplets, counts } = edges;
    const [i, by, s, c, t, many] = await lab.readAll(
      [index, shifts, systems, centers, triplets, counts],
    );
    return { i: i!, by: by!, s: s!, c: c!, t: t!, edges: many![0]!, triplets: many![1]! };
  };
  const sparse = await list();
  assertSameBits([sparse.edges, sparse.triplets], [2 + 2 * 39, 38]);
  padded(sparse, edges);
  backend.write(positions, row.map((y) => 0.0475 * y), 6);
  const dense = await list();
  assertSameBits([dense.edges, dense.triplets], dense40());
  padded(dense, edges);
}

/**
 * Returns the counts of edges and triplets of 40 atoms at distances of 0.19 Å. The cutoff of 5 Å reaches 26 atoms.
 */
function dense40(): [edges: number, triplets: number] {
  const near = Array.from({ length: 40 }, (_, i) => Math.min(26, i) + Math.min(26, 39 - i));
  return [
    2 + near.reduce((sum, n) => sum + n, 0),
    near.reduce((sum, n) => sum + n * (n - 1) / 2, 0),
  ];
}

type Listed = Readonly<Record<"i" | "by" | "s" | "c" | "t", readonly number[]>> & {
  readonly edges: number;
  readonly triplets: number;
};

/** Throws if lists have a wrong size or order, or if anything but padding follows their entries. */
function padded(
  { i, by, s, c, t, edges, triplets }: Listed,
  { capacity, tripletCapacity }: { readonly capacity: number; readonly tripletCapacity: number },
): void {
  claim(
    capacity % 256 === 0 && tripletCapacity % 256 === 0 && capacity > edges &&
      tripletCapacity > triplets,
    () =>
      `There is room for ${capacity} edges and ${tripletCapacity} triplets: ${edges}, ${triplets}`,
  );
  const lengths = [2 * capacity, 3 * capacity, capacity, tripletCapacity, 2 * tripletCapacity];
  assertSameBits([i, by, s, c, t].map(({ length }) => length), lengths);
  const [sources, rest] = [i.slice(0, edges), capacity - edges];
  assertSameBits(sources, sources.toSorted((a, b) => a - b));
  for (const row of [i.slice(0, capacity), i.slice(capacity), s]) {
    assertSameBits(row.slice(edges), Array(rest).fill(0));
  }
  assertSameBits(by.slice(3 * edges), Array(rest).fill([100, 0, 0]).flat());
  assertSameBits(c.slice(triplets), Array(tripletCapacity - triplets).fill(0));
  for (const row of [t.slice(0, tripletCapacity), t.slice(tripletCapacity)]) {
    assertSameBits(row.slice(triplets), Array(tripletCapacity - triplets).fill(edges));
  }
}

async function refused(backend: Backend): Promise<void> {
  const lab = new Lab(backend, [3]);
  const pairs = backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
  const wrong = [
    { cutoff: 5.1, isHalf: false, reach: 0 },
    { cutoff: 4, isHalf: false, reach: 4.1 },
    { cutoff: 4, isHalf: true, reach: 3 },
  ];
  for (const options of wrong) {
    await claimRefused(() => backend.edges(lab.frame, { pairs, ...options }), RangeError, "Cannot");
  }
}

async function nonFinite(backend: Backend): Promise<void> {
  for (const [k, nowhere] of [NaN, Infinity, -Infinity].entries()) {
    const lab = new Lab(backend, [2, 1, 2], { active: [1, 0, 1] });
    const given = [[0, 1, 2], Array(15).fill(1)];
    given[k % 2]![1] = nowhere; // A value of the first system, or of the inactive one.
    given[k % 2]![given[k % 2]!.length - 1] = nowhere;
    const args = {
      energies: lab.real(given[0]!, "system"),
      atomForces: lab.real(given[1]!, "node"),
      cell: lab.real(Array(27).fill(0), "system"),
      forces: lab.real(Array(15).fill(0), "node"),
      energy: lab.f64([0, 0, 0], "system"),
      virial: lab.f64(Array(27).fill(0), "system"),
      perAtom: 0,
      energyUnit: 1,
      forceUnit: 1,
      stressUnit: 1,
    };
    const done = await lab.run([call(addModel, args)], 5);
    claim(done === 1, () => `A run in which a graph returned ${nowhere} did ${done} steps, not 1`);
    const control = await lab.read(lab.frame.control);
    const words = [control[Control.DIVERGED]!, control[Control.CAUSE]!];
    assertSameBits(words, [k % 2 === 0 ? 3 : 1, 1]);
  }
}
