/**
 * What lists of pairs do on every backend.
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
import type { OpenBackend } from "./kernel_cases.ts";
import { normals } from "../lab.ts";
import type { TestCase } from "./test_case.ts";
import { type Member, World } from "../world.ts";

/** Lists are found when they must be, kept as long as they may be, saved and loaded. */
export function pairCases(open: OpenBackend): TestCase[] {
  return [
    onBackend(
      open,
      "pairs are found again when an atom has moved by half the skin, not before",
      due,
    ),
    {
      name: "pairs that were saved and loaded give the same bits as those that went on",
      run: () => saved(open),
    },
    onBackend(open, "a position that is no number halts the run and is told", lost),
    onBackend(open, "a list that becomes far too short grows, and misses nothing", grows),
  ];
}

const SYSTEMS: readonly Member[] = [{ size: 30, id: 0 }, { size: 0, id: 1 }, { size: 65, id: 2 }];

/** Forces of pairs of a batch, with their list. */
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
  assertSameBits(await move(0.3), [2, 1, 1]); // half the skin is 0.25 Å
  assertSameBits(await move(0.1), [2, 1, 1]);
  backend.write(lab.frame.active, [0, 0, 1]);
  assertSameBits(await move(-2), [2, 1, 1]);
}

/** Atoms of a batch a little further on than they were. */
function further(x: readonly number[], step: number): number[] {
  const off = normals(x.length, 50 + step, 0.02);
  return x.map((value, i) => Math.fround(value + off[i]!));
}

async function sumsOf(all: ReturnType<typeof paired>): Promise<number[][]> {
  return await all.lab.readAll([all.forces, all.energy, all.virial] as Buffer[]);
}

async function saved(open: OpenBackend): Promise<void> {
  const before = await open(), after = await open();
  try {
    const one = paired(before), other = paired(after);
    await one.lab.run(one.calls);
    const far = (await one.lab.read(one.positions)).map((x, i) => x + i % 5 / 2);
    before.write(one.positions, far);
    await one.lab.run(one.calls); // found for the second time
    const moved = further(far, 0);
    before.write(one.positions, moved);
    await one.lab.run(one.calls); // with the list of before the move
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
      claim(went[0]!.some((force) => force !== 0), () => "No pair pulls at anything");
    }
    assertSameBits(await builds(after, other), await builds(before, one));
  } finally {
    before.dispose();
    after.dispose();
  }
}

async function lost(backend: Backend): Promise<void> {
  for (const nowhere of [NaN, Infinity, 1e12]) {
    const { lab, positions, calls } = paired(backend);
    backend.write(positions, [nowhere], 3 * 30 + 1); // in the third system
    const done = await lab.run(calls, 5);
    claim(done === 1, () => `A run with an atom at ${nowhere} did ${done} steps, not 1`);
    const told = (await lab.read(lab.frame.control))[Control.DIVERGED];
    claim(told === 3, () => `With an atom of system 2 at ${nowhere}, DIVERGED is ${told}, not 3`);
  }
}

/** Many atoms that come together until each is next to all. */
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
  claim(dense[1]! > 1e3, () => `Atoms that were pressed together have an energy of ${dense[1]} eV`);
}
