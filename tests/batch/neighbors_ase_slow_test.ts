import { assertEquals, assertGreater } from "@std/assert";
import { Batch, fcc, rattle, System } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { buildNeighborList } from "../../src/batch/neighbors/mod.ts";
import { openPython, pythonTest } from "../python.ts";
import { halfOf, type Row, rowsOfEdges, rowsOfMatrix } from "./neighbors_brute.ts";

/** Prints the neighbors of each structure of a file for each cutoff: [i, j, shift] in order. */
const LIST = `
import json, sys
import numpy as np
from ase.io import read
from ase.neighborlist import neighbor_list

def rows(atoms, cutoff):
    i, j, S = neighbor_list("ijS", atoms, cutoff)
    return sorted([int(a), int(b), *map(int, s)] for a, b, s in zip(i, j, S))

print(json.dumps([[rows(atoms, float(c)) for c in sys.argv[2:]]
    for atoms in read(sys.argv[1], ":", format="extxyz")]))
`;

const CUTOFFS = [2.1, 5.3, 9.7];

/** Neighbors that ASE lists, by structure and cutoff. */
async function listedByAse(systems: readonly System[]): Promise<Row[][][]> {
  const python = await openPython("ase");
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/x.xyz`, writeExtxyz(systems));
    return JSON.parse(await python.run(LIST, [`${folder}/x.xyz`, ...CUTOFFS.map(String)]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The same in every run. */
function scattered(atoms: number, size: number, seed: number): number[] {
  let state = seed;
  const next = () => (state = (1103515245 * state + 12345) % 2 ** 31) / 2 ** 31;
  return Array.from({ length: 3 * atoms }, () => size * (3 * next() - 1));
}

function structures(): System[] {
  const atoms = (count: number, seed: number) => ({
    symbols: Array<string>(count).fill("Ar"),
    positions: scattered(count, 5, seed),
  });
  const skewed = [[5, 0, 0], [2.1, 4.4, 0], [-1.7, 1.3, 6]];
  return [
    rattle(fcc({ element: "Ar", a: 5.26, cells: 3 }), 0.1, 1),
    new System({ ...atoms(9, 2), cell: skewed, pbc: true }),
    new System({ ...atoms(9, 3), cell: skewed, pbc: [true, false, true] }),
    new System({
      ...atoms(9, 4),
      cell: [[0, 0, 0], [0, 3, 0.5], [0, 0, 0]],
      pbc: [false, true, false],
    }),
    new System({ ...atoms(7, 5), cell: [[4, 0, 0], [1, 4, 0], [0, 1, -5]], pbc: true }),
    new System({ ...atoms(40, 6) }),
    new System({
      symbols: ["Ar"],
      positions: [7, 8, 9],
      cell: [[2, 0, 0], [1, 2.2, 0], [0.3, 1, 2.4]],
      pbc: true,
    }),
  ];
}

pythonTest("lists of neighbors are those of ASE", async () => {
  const systems = structures();
  const seen = await listedByAse(systems);
  assertEquals(seen.length, systems.length);
  const batch = Batch.from(systems);
  for (const [c, cutoff] of CUTOFFS.entries()) {
    const theirs = seen.flatMap((lists, s) => {
      const first = batch.nodeOffsets[s]!;
      return lists[c]!.map(([i, j, ...n]) => [first + i, first + j, ...n] as Row);
    });
    assertGreater(theirs.length, 50);
    assertEquals(rowsOfEdges(buildNeighborList(batch, { cutoff })), theirs);
    assertEquals(rowsOfEdges(buildNeighborList(batch, { cutoff, half: true })), halfOf(theirs));
    assertEquals(rowsOfMatrix(buildNeighborList(batch, { cutoff, format: "matrix" })), theirs);
  }
});
