/**
 * Test cases for pair lists on any backend.
 *
 * @module
 */

import { type Backend, type Buffer, call, type SavedPairs } from "../../backend/backend.ts";
import { ReferenceBackend } from "../../backend/reference/reference_backend.ts";
import { clear } from "../../kernels/clear.ts";
import { Control } from "../../kernels/kernel.ts";
import { lennardJones } from "../../models/pair/lennard_jones.ts";
import { neighbors } from "../../kernels/pairs/neighbors.ts";
import { assertNear, assertSameBits } from "../assert_near.ts";
import { claim, onBackend } from "../claims.ts";
import type { MakeBackend } from "./kernel_cases.ts";
import { normals } from "../lab.ts";
import type { TestCase } from "./test_case.ts";
import { type Member, World } from "../world.ts";

/** Returns cases for the rebuilding, saving and loading of pair lists. */
export function pairCases(open: MakeBackend): TestCase[] {
  return [
    onBackend(
      open,
      "pair lists are rebuilt when an atom has moved by half the skin, not before",
      due,
    ),
    {
      name: "saved and loaded pair lists give bitwise identical results",
      run: () => saved(open),
    },
    onBackend(open, "a non-finite position halts the run and is reported", nonFinite),
    onBackend(open, "a pair list that is much too short grows, and misses no pair", grows),
  ];
}

const SYSTEMS: readonly Member[] = [{ size: 30, id: 0 }, { size: 0, id: 1 }, { size: 65, id: 2 }];

/** Sets up a batch with a pair list, and the calls that compute its pair forces. */
function paired(backend: Backend, systems: readonly Member[] = SYSTEMS) {
  const world = new World(backend, systems);
  const { lab } = world;
  const [positions, cell] = [world.atom("positions"), world.system("cell")];
  const pairs = backend.pairs(lab.frame, { cutoff: 5, skin: 0.5 });
  const sums = {
    forces: world.atoms("real", 3, ({ size }) => Array(3 * size).fill(0)),
    energy: world.systems("f64", 1, () => [0]),
    virial: world.systems("f64", 9, () => Array(9).fill(0)),
  };
  const parameters = lab.real([4e-2 * 3.1 ** 12, 4e-2 * 3.1 ** 6, 25, 0].map(Math.fround), "all");
  const args = { pairs, positions, cell, parameters, ...sums, switchWidth: 1, want: 3 };
  const calls = [
    call(neighbors, { pairs, positions, cell, pbc: world.whole("pbc") }),
    call(clear, sums),
    call(lennardJones.kernel, { ...args, images: undefined, species: undefined }),
  ];
  return { world, lab, positions, pairs, ...sums, calls };
}

async function builds(backend: Backend, { pairs }: ReturnType<typeof paired>): Promise<Int32Array> {
  return (await backend.savePairs(pairs)).builds;
}

async function due(backend: Backend): Promise<void> {
  const all = paired(backend);
  const { lab, positions, calls } = all;
  assertSameBits(await builds(backend, all), [0, 0, 0]);
  await lab.run(calls, 3);
  assertSameBits(await builds(backend, all), [1, 1, 1]);
  const x = await lab.read(positions);
  const move = async (by: number) => {
    backend.write(positions, [x[0]! + by]);
    await lab.run(calls);
    return await builds(backend, all);
  };
  assertSameBits(await move(0.2), [1, 1, 1]);
  assertSameBits(await move(0.3), [2, 1, 1]); // Half of the skin is 0.25 Å.
  assertSameBits(await move(0.1), [2, 1, 1]);
  backend.write(lab.frame.active, [0, 0, 1]);
  assertSameBits(await move(-2), [2, 1, 1]);
}

/** Returns the positions `x` with small random displacements, which depend on `step`. */
function further(x: readonly number[], step: number): number[] {
  const off = normals(x.length, 50 + step, 0.02);
  return x.map((value, i) => Math.fround(value + off[i]!));
}

async function sumsOf(all: ReturnType<typeof paired>): Promise<number[][]> {
  return await all.lab.readAll([all.forces, all.energy, all.virial] as Buffer[]);
}

async function saved(open: MakeBackend): Promise<void> {
  const before = await open(), after = await open();
  try {
    const one = paired(before), other = paired(after);
    await one.lab.run(one.calls);
    const far = (await one.lab.read(one.positions)).map((x, i) => x + i % 5 / 2);
    before.write(one.positions, far);
    await one.lab.run(one.calls); // This run rebuilds the list.
    const moved = further(far, 0);
    before.write(one.positions, moved);
    await one.lab.run(one.calls); // This run keeps the list, because the atoms have moved only slightly.
    const kept: SavedPairs = await before.savePairs(one.pairs);
    const offsets = Int32Array.from(await one.lab.read(one.lab.frame.offsets));
    after.loadPairs(other.pairs, offsets, kept);
    for (const step of [1, 2]) {
      const next = further(moved, step);
      for (const { lab: { backend }, positions } of [one, other]) backend.write(positions, next);
      await one.lab.run(one.calls);
      await other.lab.run(other.calls);
      const [went, resumed] = [await sumsOf(one), await sumsOf(other)];
      for (const [i, values] of went.entries()) assertSameBits(resumed[i]!, values);
      claim(went[0]!.some((force) => force !== 0), () => "All pair forces are 0");
    }
    assertSameBits(await builds(after, other), await builds(before, one));
  } finally {
    before.dispose();
    after.dispose();
  }
}

async function nonFinite(backend: Backend): Promise<void> {
  for (const nowhere of [NaN, Infinity, 1e12]) {
    const { lab, positions, calls } = paired(backend);
    backend.write(positions, [nowhere], 3 * 30 + 1); // The atom is in the third system.
    const done = await lab.run(calls, 5);
    claim(done === 1, () => `A run with an atom at ${nowhere} did ${done} steps, not 1`);
    const diverged = (await lab.read(lab.frame.control))[Control.DIVERGED];
    claim(
      diverged === 3,
      () => `With an atom of system 2 at ${nowhere}, DIVERGED is ${diverged}, not 3`,
    );
  }
}

/** Tests that a pair list misses no pair after many atoms were moved so close together that all are neighbors. */
async function grows(backend: Backend): Promise<void> {
  const systems = [{ size: 4, id: 0 }, { size: 300, id: 4 }];
  const { lab, positions, energy, calls } = paired(backend, systems);
  await lab.run(calls);
  const x = (await lab.read(positions)).map((value, i) => i < 12 ? value : Math.fround(value / 3));
  backend.write(positions, x);
  await lab.run(calls);
  const dense = await lab.read(energy);
  const exact = paired(new ReferenceBackend(), systems);
  exact.lab.backend.write(exact.positions, x);
  await exact.lab.run(exact.calls);
  assertNear(dense, await exact.lab.read(exact.energy), 1e-5, 1);
  claim(
    dense[1]! > 1e3,
    () => `The energy of compressed atoms must be above 1000 eV; got ${dense[1]} eV`,
  );
}
