/**
 * Test cases for the release of memory.
 *
 * @module
 */

import { type Backend, type Buffer, call } from "../../backend/backend.ts";
import { advance } from "../../kernels/integrate/advance.ts";
import { drift } from "../../kernels/integrate/drift.ts";
import { edges as listEdges } from "../../kernels/edges/edges.ts";
import { defineKernel } from "../../kernels/kernel.ts";
import { neighbors } from "../../kernels/pairs/neighbors.ts";
import { claim } from "../claims.ts";
import type { MakeBackend } from "./kernel_cases.ts";
import { Lab, normals } from "../lab.ts";
import type { TestCase } from "./test_case.ts";

/**
 * Returns the amount of memory that all backends hold and must release explicitly: bytes, or a number of buffers.
 */
export type Held = () => number | Promise<number>;

/** Returns cases that check that repeated work does not increase memory. */
export function memoryCases(open: MakeBackend, held: Held): TestCase[] {
  return [
    {
      name: "repeated allocation and release do not leak memory",
      run: async () => {
        const backend = await open();
        try {
          // Allocate little per round, but in total more than the backend keeps for reuse.
          const rounds = backend.isHost ? 3000 : 40;
          await grownBy(held, rounds, () => round(backend));
          await grownBy(held, rounds, () => refused(backend));
        } finally {
          backend.dispose();
        }
      },
    },
    {
      name: "disposing of a backend releases all memory",
      run: () =>
        grownBy(held, 30, async () => {
          const backend = await open();
          const lab = await filled(backend);
          const pairs = backend.pairs(lab.frame, { cutoff: 5, skin: 1 });
          backend.edges(lab.frame, { pairs, cutoff: 5, isHalf: false, reach: 3 });
          backend.prepare(lab.frame, [call(advance, {})]);
          for (let i = 0; i < 20; i++) backend.alloc("f64", 10_000);
          backend.dispose();
        }),
    },
  ];
}

/** Throws if the second half of the rounds takes more memory than the first. */
async function grownBy(held: Held, rounds: number, work: () => Promise<void>): Promise<void> {
  const counts: number[] = [];
  for (let half = 0; half < 2; half++) {
    for (let i = 0; i < rounds; i++) await work();
    counts.push(await held());
  }
  const [first, second] = counts as [number, number];
  claim(
    second <= first,
    () =>
      `The second ${rounds} rounds must take no more memory; ${first} before, ${second} afterwards`,
  );
}

/** Runs a program on a new batch, whose buffers are not released. */
async function filled(backend: Backend): Promise<Lab> {
  const lab = new Lab(backend, [1, 2]);
  const args = { positions: lab.real(normals(9, 1)), velocities: lab.real(normals(9, 2)) };
  await lab.run([call(drift, { ...args, dt: lab.real([1, 2]), fraction: 1 })]);
  return lab;
}

/** Tries to create a program with an unknown kernel, which the backend may refuse. */
function refused(backend: Backend): Promise<void> {
  const lab = new Lab(backend, [1]);
  const own = defineKernel("of_nobody", {}, () => {});
  try {
    backend.prepare(lab.frame, [call(advance, {}), call(own, {})]).free();
  } catch {
    // Another case tests whether an error is thrown.
  }
  freeFrame(lab);
  return Promise.resolve();
}

function freeFrame({ backend, frame: { offsets, active, ids, ages, control } }: Lab): void {
  for (const buffer of [offsets, active, ids, ages, control]) backend.free(buffer);
}

async function round(backend: Backend): Promise<void> {
  const lab = new Lab(backend, [10, 20]);
  const made = [normals(90, 1, 5), Array(18).fill(0)].map((values) => lab.real(values));
  const [positions, cell] = made as [Buffer<"real">, Buffer<"real">];
  const pbc = lab.i32(Array(6).fill(0));
  const pairs = backend.pairs(lab.frame, { cutoff: 5, skin: 1 });
  const edges = backend.edges(lab.frame, { pairs, cutoff: 5, isHalf: false, reach: 0 });
  const program = backend.prepare(lab.frame, [
    call(neighbors, { pairs, positions, cell, pbc }),
    call(listEdges, { edges, positions, cell }),
    call(advance, {}),
  ]);
  const done = backend.run(program, 0, 3);
  const seen = backend.readLate([positions, pbc]);
  program.free();
  await done;
  await backend.savePairs(pairs);
  backend.freeEdges(edges);
  backend.freePairs(pairs);
  for (const buffer of [...made, pbc]) backend.free(buffer);
  freeFrame(lab);
  backend.flush();
  await seen;
}
