/** Pairs that do not interact, or whose interaction is scaled: by bonds, by lists, and in periodic cells. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { openThreads } from "../../src/backend/mod.ts";
import { Batch, System, wrapPositions } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import {
  type ExcludedPair,
  harmonicBonds,
  lennardJones,
  type PairExclusions,
  sum,
} from "../../src/models/mod.ts";
import type { ResidentBatch } from "../../src/batch/resident/resident_batch.ts";
import { Exclusions } from "../../src/models/pair/pair_exclusions.ts";
import { assertNear, evaluate } from "../dynamics/atoms.ts";
import { type EngineBackend, gpu, where } from "../dynamics/backends.ts";
import { ALL_BACKENDS, testOn } from "../kernels/lab.ts";
import { slowTest, test } from "../suite.ts";

const DIGITS = { reference: 1e-10, wasm: 2e-6, webgpu: 2e-6 } as const;

function onEach(name: string, test: (backend: EngineBackend, digits: number) => Promise<void>) {
  for (const on of ALL_BACKENDS) {
    testOn(on, name, () => test(on === "webgpu" ? gpu! : on, DIGITS[on]));
  }
}

const LJ = { epsilon: 0.01, sigma: 3, cutoff: 8, truncation: "cut" } as const;

function excluding(exclude: PairExclusions, options = {}) {
  return lennardJones({ ...LJ, ...options, exclude });
}

function energyAt(r: number): number {
  const s6 = (3 / r) ** 6;
  return 0.04 * (s6 * s6 - s6);
}

/** A bent chain of five atoms, and an atom without bonds. */
const CHAIN = [[0, 0, 0], [1.5, 0, 0], [2.1, 1.4, 0], [3.6, 1.5, 0.3], [4.2, 2.7, 1], [1, 4, 1]];
const BONDS: ExcludedPair[] = [[0, 1], [1, 2], [2, 3], [3, 4]];

function chain(): System {
  return new System({ symbols: Array(6).fill("C"), positions: CHAIN });
}

/** Returns the sum over pairs of the chain, each with its scale. */
function sumOf(scale: (i: number, j: number) => number): number {
  let energy = 0;
  for (let i = 0; i < 6; i++) {
    for (let j = i + 1; j < 6; j++) {
      const r = Math.hypot(...[0, 1, 2].map((d) => CHAIN[i]![d]! - CHAIN[j]![d]!));
      energy += scale(i, j) * energyAt(r);
    }
  }
  return energy;
}

onEach(
  "atoms up to a number of bonds apart do not interact, or their interaction is scaled",
  async (on, digits) => {
    const apart = (i: number, j: number) => j === 5 ? 9 : j - i;
    const cases: [PairExclusions, (i: number, j: number) => number][] = [
      [{ bonds: BONDS, through: 2 }, (i, j) => apart(i, j) > 1 ? 1 : 0],
      [{ bonds: BONDS }, (i, j) => apart(i, j) > 2 ? 1 : 0],
      [{ bonds: BONDS, scale14: 0.5 }, (i, j) => [0, 0, 0, 0.5][apart(i, j)] ?? 1],
      [{ bonds: BONDS, scale14: 0 }, (i, j) => apart(i, j) > 3 ? 1 : 0],
      [{ pairs: [[4, 0], [1, 5]] }, (i, j) => i === 0 && j === 4 || i === 1 && j === 5 ? 0 : 1],
    ];
    for (const [exclude, scale] of cases) {
      const { energy } = await evaluate(excluding(exclude), [chain()], on);
      assertNear(energy, [sumOf(scale)], digits);
    }
  },
);

onEach("a ring counts the shortest way between two atoms", async (on) => {
  // All pairs of a square are one or two bonds apart.
  const square = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]];
  const ring: ExcludedPair[] = [[0, 1], [1, 2], [2, 3], [3, 0]];
  const system = new System({ symbols: Array(4).fill("C"), positions: square });
  const { energy, forces } = await evaluate(excluding({ bonds: ring, scale14: 0.5 }), [system], on);
  assertEquals([...energy, ...forces].filter((x) => x !== 0), []);
});

onEach("only the nearest image of a pair is excluded", async (on, digits) => {
  // Bonded across the boundary of a cell of half the cutoff.
  const cell = [4.1, 0, 0, 0.5, 4.2, 0, 0, -0.3, 4.15];
  const positions = [[0.2, 1, 1], [3.5, 1, 1]];
  const system = new System({ symbols: ["C", "C"], positions, cell });
  const exclude = { bonds: [[0, 1]] } as const;
  const { energy, forces, stress } = await evaluate(excluding(exclude), [system], on);
  const all = await evaluate(lennardJones(LJ), [system]);
  const [excluded] = energy;
  assertNear([excluded!], [all.energy[0]! - energyAt(0.8)], Math.max(1e-7, 10 * digits));
  const exact = await evaluate(excluding(exclude), [system]);
  assertNear(forces, exact.forces, 20 * digits, 0.01);
  assertNear(stress, exact.stress, 20 * digits, Math.max(...exact.stress.map(Math.abs)));
  // Atoms more than half a cell apart are excluded in their nearest image, too.
  const open = new System({ symbols: ["C", "C"], positions, cell, pbc: [false, true, true] });
  const apart = await evaluate(excluding(exclude), [open], on);
  const both = await evaluate(lennardJones(LJ), [open]);
  assertNear(apart.energy, [both.energy[0]! - energyAt(3.3)], Math.max(1e-7, 10 * digits));
});

/** Nine triatomic molecules in a skewed cell, with each atom wrapped into it. */
function molecules(seed = 1): { batch: Batch; bonds: ExcludedPair[] } {
  const cell = [11, 0, 0, 1.5, 10.5, 0, -1, 0.7, 12];
  const positions: number[][] = [];
  const bonds: ExcludedPair[] = [];
  for (let m = 0; m < 9; m++) {
    const center = [(m % 3) * 3.7, Math.floor(m / 3) * 3.6, (m * seed % 2) * 5];
    const [cos, sin] = [Math.cos(m + seed), Math.sin(m + seed)];
    const first = positions.length;
    const [x, y, z] = center as [number, number, number];
    positions.push(center, [x + 0.96 * cos, y + 0.96 * sin, z]);
    positions.push([x - 0.96 * sin, y + 0.96 * cos, z - 0.1]);
    bonds.push([first, first + 1], [first, first + 2]);
  }
  const symbols = positions.map((_, i) => i % 3 === 0 ? "O" : "H");
  const batch = Batch.from([new System({ symbols, positions, cell })]);
  wrapPositions(batch);
  return { batch, bonds };
}

const mixture = (bonds: readonly ExcludedPair[]) =>
  lennardJones({
    species: { O: { epsilon: 0.0067, sigma: 3.15 }, H: { epsilon: 0.001, sigma: 1.8 } },
    cutoff: 7,
    truncation: "switch",
    skin: 0.6,
    exclude: { bonds },
  });

onEach("forces with exclusions are the slopes of the energy", async (on, digits) => {
  const { batch, bonds } = molecules();
  const model = mixture(bonds);
  const { numbers, cell, positions } = batch.system(0);
  const { forces } = await evaluate(model, [new System({ numbers, cell, positions })], on);
  const h = 1e-5;
  const moved = (k: number, by: number) =>
    new System({ numbers, cell, positions: positions.map((x, i) => i === k ? x + by : x) });
  const all = Array.from(positions, (_, k) => [moved(k, h), moved(k, -h)]);
  const { energy } = await evaluate(model, all.flat());
  const slopes = all.map((_, k) => (energy[2 * k + 1]! - energy[2 * k]!) / (2 * h));
  assertNear(forces, slopes, Math.max(1e-6, 10 * digits), Math.max(...slopes.map(Math.abs)));
});

onEach(
  "molecules conserve energy while pair lists are rebuilt and atoms wrap",
  async (on) => {
    const { batch, bonds } = molecules(2);
    batch.set("velocities", batch.get("positions").map((_, k) => 0.02 * Math.sin(3.7 * k)));
    const springs = bonds.map((atoms) => {
      const shift = shiftOf(batch, atoms);
      return { atoms, length: 0.96, stiffness: 20, shift };
    });
    const model = sum(mixture(bonds), harmonicBonds(springs));
    await using md = new NVE({ model, dt: 0.25, ...where(on) });
    await md.run(batch, 0);
    const before = totalOf(batch);
    for (let round = 0; round < 4; round++) {
      await md.run(batch, 150);
      wrapPositions(batch);
    }
    assert(batch.get("images").some((n) => n !== 0), "nothing was wrapped");
    assertNear([totalOf(batch)], [before], 5e-3, 1);
  },
);

/** Lattice translation from one atom of a bond to the nearest image of the other. */
function shiftOf(batch: Batch, [i, j]: ExcludedPair): [number, number, number] {
  const [x, h, n] = [batch.get("positions"), batch.get("cell"), batch.get("images")];
  const place = (a: number, d: number) =>
    x[3 * a + d]! + [0, 1, 2].reduce((sum, k) => sum + n[3 * a + k]! * h[3 * k + d]!, 0);
  let best: [number, number, number] = [0, 0, 0];
  let least = Infinity;
  for (let c = 0; c < 27; c++) {
    const shift: [number, number, number] = [
      c % 3 - 1,
      Math.floor(c / 3) % 3 - 1,
      Math.floor(c / 9) - 1,
    ];
    const r = Math.hypot(
      ...[0, 1, 2].map((d) =>
        place(j, d) - place(i, d) + shift.reduce((sum, m, k) => sum + m * h[3 * k + d]!, 0)
      ),
    );
    if (r < least) [best, least] = [shift, r];
  }
  return best;
}

/** Returns the sum of potential and kinetic energy in eV. */
function totalOf(batch: Batch): number {
  const [v, m] = [batch.get("velocities"), batch.get("masses")];
  const kinetic = v.reduce((sum, x, k) => sum + 0.5 * m[Math.floor(k / 3)]! * x * x, 0);
  return batch.get("energy")[0]! + 103.642697 * kinetic;
}

test("exclusions give bitwise identical results alone, in a batch and on threads", async () => {
  const { batch, bonds } = molecules();
  const { numbers, cell, positions } = batch.system(0);
  const own = () => new System({ numbers, cell, positions });
  const alone = await evaluate(mixture(bonds), [own()], "wasm");
  const together = await evaluate(mixture(bonds), [own(), own(), own()], "wasm");
  assertEquals(together.forces.slice(81, 162), alone.forces);
  assertEquals(together.energy[1], alone.energy[0]);
  const threads = openThreads(2);
  try {
    assertEquals(await evaluate(mixture(bonds), [own(), own(), own()], threads), together);
  } finally {
    threads.dispose();
  }
});

test("each system may have its own exclusions", async () => {
  const exclude = { bonds: [BONDS, []] };
  const { energy } = await evaluate(excluding(exclude), [chain(), chain()]);
  const plain = await evaluate(lennardJones(LJ), [chain()]);
  assertNear(energy, [sumOf((i, j) => j < 5 && j - i < 3 ? 0 : 1), plain.energy[0]!], 1e-10);
});

test("exclusions that are not valid are refused by name", async () => {
  const refuses = (exclude: unknown, message: string) =>
    assertThrows(() => excluding(exclude as PairExclusions), RangeError, message);
  refuses({ bonds: BONDS, through: 4 }, "through must be 2 or 3; got 4");
  refuses({ bonds: BONDS, scale14: -1 }, "scale14 must be 0 or more and finite");
  refuses({ bonds: [[0, 0]] }, "bonds must be pairs of two atoms, counted from 0");
  refuses({ pairs: [[0, 1.5]] }, "pairs must be pairs of two atoms");
  refuses({ bonds: [BONDS, []], pairs: [[[0, 1]]] }, "lists for each of 2 systems");
  const mistakes = (exclude: unknown, message: string) =>
    assertThrows(() => excluding(exclude as PairExclusions), TypeError, message);
  mistakes({ bond: BONDS }, 'got "bond"; did you mean bonds?');
  mistakes({ bonds: "0-1" }, 'bonds must be a list of pairs of atoms; got "0-1"');
  mistakes({ pairs: 3 }, "pairs must be a list of pairs of atoms; got 3");
  mistakes(BONDS, "exclude must be an object");
  mistakes("bonds", "exclude must be an object");
  const message = async (exclude: PairExclusions, systems: System[]) =>
    await evaluate(excluding(exclude), systems).then(() => "", (error) => error.message);
  assert((await message({ bonds: [[0, 6]] }, [chain()])).includes("the 6 atoms of system 0"));
  assert(
    (await message({ bonds: [BONDS, []] }, [chain()])).includes(
      "or one for each of 1; got 2 lists",
    ),
  );
});

slowTest("200,000 bonds can be excluded", () => {
  const atoms = 200_001;
  const bonds = Array.from({ length: atoms - 1 }, (_, i) => [i, i + 1] as const);
  const batch = Batch.from([
    new System({ numbers: new Int32Array(atoms), positions: new Float64Array(3 * atoms) }),
  ]);
  const state = { batch, mirroredField: () => new Uint8Array(3) } as unknown as ResidentBatch;
  const rows = new Exclusions("a potential", { bonds }).rows(state, undefined);
  // Atoms in the middle have two neighbors (1-2) and two next to those (1-3).
  const width = rows.length / atoms;
  assertEquals(width, 1 + 2 * 4);
  const partners = rows.slice(1000 * width + 1, 1001 * width).filter((_, i) => i % 2 === 0);
  assertEquals([...partners].sort((a, b) => a - b), [998, 999, 1001, 1002]);
});
