import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";

import { Control } from "../../src/kernels/kernel.ts";
import { morse } from "../../src/models/pair/morse.ts";
import { makePairList, type SystemPairs } from "../../src/kernels/pairs/pair_list.ts";
import { findPairs } from "../../src/kernels/pairs/find_pairs.ts";
import { few, slowTest, test } from "../suite.ts";
import { ALL_BACKENDS, BACKENDS, openOn, testOn } from "./lab.ts";
import { PairBatch, type PairSystem, uniform } from "./pair_case.ts";

/** Strong at the cutoff, but for the switch: a pair that is missing shows. */
const FIRM = {
  kernel: morse.kernel,
  parameters: morse.row({ depth: 1, width: 0.3, distance: 2 }, 4),
  cutoff: 4,
  switchWidth: 1,
} as const;

/** −1 eV for each pair below the cutoff, without a force: the energy counts them. */
const COUNT = {
  kernel: morse.kernel,
  parameters: morse.row({ depth: 1, width: 0, distance: 2 }, 4),
  cutoff: 4,
};

/** Systems of any cell, periodicity and handedness, atoms also outside, some closer than others. */
const systems: fc.Arbitrary<Required<Pick<PairSystem, "positions" | "cell" | "pbc">>> = fc.record({
  seed: fc.integer(),
  atoms: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 60, max: 150 })),
  lengths: fc.tuple(...[0, 1, 2].map(() => fc.double({ min: 1.5, max: 15, noNaN: true }))),
  tilts: fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -0.8, max: 0.8, noNaN: true }))),
  pbc: fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 1 }))),
  order: fc.constantFrom([0, 1, 2], [1, 2, 0], [1, 0, 2], [2, 1, 0]),
  spread: fc.constantFrom(1, 1, 3),
}).map(({ seed, atoms, lengths, tilts, pbc, order, spread }) => {
  const random = uniform(seed);
  const [a, b, c] = lengths as [number, number, number];
  // No more atoms than there is room for: half an Å³ each at the least.
  const count = Math.min(atoms, Math.ceil(2 * a * b * c));
  const rows = [[a, 0, 0], [tilts[0]! * a, b, 0], [tilts[1]! * a, tilts[2]! * b, c]];
  const positions = Array.from({ length: count }, () => {
    const place = [0, 1, 2].map(() => (random() - 0.5) * spread + 0.5);
    return [0, 1, 2].map((d) => place.reduce((sum, f, k) => sum + f * rows[k]![d]!, 0));
  }).flat();
  const cell = order.flatMap((k) => rows[k]!);
  return { positions, cell, pbc: order.map((k) => pbc[k]!) };
});

slowTest("neighbors() finds the same pairs as a search over all images", () => {
  fc.assert(
    fc.property(systems, fc.double({ min: 0.5, max: 9, noNaN: true }), (system, reach) => {
      const { found, onEdge } = lookEverywhere(system, reach);
      const pairs = makePairList(1, reach, 0).systems[0]!;
      Object.assign(pairs, {
        reference: Float64Array.from(system.positions),
        cell: Float64Array.from(system.cell),
      });
      findPairs(pairs, system.pbc, reach);
      const listed = new Set(list(pairs).filter((pair) => !onEdge.has(pair)));
      assertEquals(listed.size, list(pairs).filter((pair) => !onEdge.has(pair)).length, "twice");
      assertEquals([...listed].sort(), [...found].sort());
    }),
    { numRuns: 150 },
  );
});

test("every neighbor list agrees with the brute-force list, for any cell, periodicity and cutoff", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(systems, { minLength: 1, maxLength: 3 }), async (several) => {
      const on = async (name: string) => new PairBatch(await openOn(name), several, FIRM).run();
      const [plain, ...others] = await Promise.all(BACKENDS.map(on));
      for (const other of others) {
        await assertClose(other, plain!);
        other.backend.dispose();
      }
    }),
    { numRuns: 30 },
  );
});

for (const name of ALL_BACKENDS) {
  testOn(name, `pairs stay right while atoms wander and are wrapped`, async () => {
    const random = uniform(5);
    const cell = [9, 0, 0, 1, 8, 0, -1, 2, 10];
    const positions = Array.from({ length: 180 }, () => 9 * random());
    const images = positions.map(() => 0);
    const batch = new PairBatch(await openOn(name), [{ positions, cell, images }], FIRM).run();
    for (let step = 0; step < few(40, 60); step++) {
      for (const i of positions.keys()) positions[i]! += 0.06 * (random() - 0.5);
      if (step % 7 === 3) wrapSome(positions, images, cell, random);
      batch.backend.write(batch.images!, images);
      batch.move(positions).run();
      const fresh = new PairBatch(await openOn("reference"), [{ positions, cell }], FIRM).run();
      await assertClose(batch, fresh);
    }
    const [builds] = await batch.builds();
    assert(builds! > 2 && builds! < 20, `${builds}`);
  });

  testOn(name, `no pair comes below the cutoff unseen, however atoms move`, async () => {
    const random = uniform(6);
    const cell = [11, 0, 0, 0, 12, 0, 0, 0, 13];
    const gaps: [number, number][] = [[0.5, 0.03], [1, 0.2], [1, 0.02], [0.2, 0.003]];
    for (const [skin, pace] of few(gaps.slice(0, 2), gaps)) {
      let positions = Array.from({ length: 900 }, () => Math.fround(12 * random()));
      // Head-on, all as fast as the fastest: there is nothing to spare.
      const velocities = positions.map((_, i) => i % 3 > 0 ? 0 : random() < 0.5 ? pace : -pace);
      const batch = new PairBatch(await openOn(name), [{ positions, cell }], { ...COUNT, skin });
      for (let step = 0; step < 40; step++) {
        positions = positions.map((x, i) => Math.fround(x + velocities[i]!));
        const [count] = await batch.move(positions).run().get("energy");
        // Some pair is as far apart as the cutoff, but for the rounding of float32.
        const counted = [4 - 1e-5, 4 + 1e-5].map(async (cutoff) => {
          const parameters = COUNT.parameters.with(3, cutoff * cutoff);
          const options = { ...COUNT, parameters };
          const fresh = new PairBatch(await openOn("reference"), [{ positions, cell }], options);
          return -(await fresh.run().get("energy"))[0]!;
        });
        const [least, most] = await Promise.all(counted);
        assert(least! <= -count! && -count! <= most!, `skin ${skin}, step ${step}: ${count}`);
      }
    }
  });

  testOn(
    name,
    `pairs are found again once an atom has gone further than half the skin`,
    async () => {
      const system = { positions: [0, 0, 0, 3, 0, 0], cell: [12, 0, 0, 0, 12, 0, 0, 0, 12] };
      const batch = new PairBatch(await openOn(name), [system, system], { ...FIRM, skin: 1 }).run();
      const after = (x: number) =>
        batch.move([0, 0, 0, 3, 0, 0, 0, 0, 0, 3 + x, 0, 0]).run().builds();
      assertEquals(await after(0.1), [1, 1]);
      assertEquals(await after(0.49), [1, 1]);
      assertEquals(await after(0.3), [1, 1]);
      assertEquals(await after(-0.51), [1, 2]);
      assertEquals(await after(-0.1), [1, 2]);
      assertEquals(await after(0), [1, 3]);
    },
  );

  testOn(name, `wrapping by whole lattice vectors neither forces nor hides new pairs`, async () => {
    const cell = [12, 0, 0, 2, 12, 0, 0, -3, 12];
    const images = [0, 0, 0, 0, 0, 0];
    const batch = new PairBatch(
      await openOn(name),
      [{ positions: [0, 0, 0, 3, 0, 0], cell, images }],
      { ...FIRM, skin: 1 },
    ).run();
    const before = await batch.get("forces");
    batch.backend.write(batch.images!, [0, 0, 0, 1, -1, 1]);
    const wrapped = [3 - 12 + 2 - 0, 0 + 12 + 3, -12];
    batch.move([0, 0, 0, ...wrapped]).run();
    assertEquals(await batch.builds(), [1]);
    for (const [i, f] of (await batch.get("forces")).entries()) {
      assert(Math.abs(f - before[i]!) < 1e-6);
    }
    batch.backend.write(batch.images!, [0, 0, 0, 1, 0, 1]);
    batch.run();
    assertEquals(await batch.builds(), [2]);
  });

  testOn(name, `a changed cell has its pairs found again`, async () => {
    const cell = [6, 0, 0, 0, 6, 0, 0, 0, 6];
    const batch = new PairBatch(await openOn(name), [{ positions: [0, 0, 0], cell }], FIRM).run();
    batch.backend.write(batch.cell, cell.map((x) => 0.5 * x));
    batch.run();
    assertEquals(await batch.builds(), [2]);
    const fresh = new PairBatch(
      await openOn("reference"),
      [{ positions: [0, 0, 0], cell: cell.map((x) => 0.5 * x) }],
      FIRM,
    ).run();
    await assertClose(batch, fresh);
  });

  testOn(
    name,
    `a cell that is strained with its atoms keeps its pairs while none can be missing`,
    async () => {
      const cell = [12, 0, 0, 1, 12, 0, 0, -1, 12];
      const positions = [0, 0, 0, 3, 0, 0, 30, -40, 50];
      const options = { ...FIRM, skin: 1 };
      const batch = new PairBatch(await openOn(name), [{ positions, cell }], options).run();
      const after = async (strain: number, shift = 0) => {
        const grown = cell.map((x, i) => x * (i % 3 === 0 ? 1 + strain : 1));
        batch.backend.write(batch.cell, grown);
        const x = positions.map((x, i) =>
          x * (i % 3 === 0 ? 1 + strain : 1) + (i === 3 ? shift : 0)
        );
        batch.move(x).run();
        const fresh = new PairBatch(
          await openOn("reference"),
          [{ positions: x, cell: grown }],
          FIRM,
        );
        await assertClose(batch, fresh.run());
        return (await batch.builds())[0];
      };
      assertEquals(await after(0.05), 1);
      assertEquals(await after(-0.05), 1); // what comes nearer by 5 % of 4 Å comes nearer by 0.2 of 1 Å
      assertEquals(await after(-0.05, 0.35), 1); // and leaves 0.4 of 0.5 Å for each atom
      assertEquals(await after(-0.05, 0.45), 2);
      assertEquals(await after(-0.05), 3 - 1); // back within the slack of the new ones
      assertEquals(await after(0.5), 3);
    },
  );

  testOn(name, `no pair comes below the cutoff unseen, however a cell is strained`, async () => {
    const random = uniform(7);
    const cell = [11, 0, 0, 1, 12, 0, -2, 1, 13];
    for (const [skin, pace] of [[0.5, 0.002], [1, 0.01], [1, 0.03]] as const) {
      const places = Array.from({ length: 450 }, () => 3 * random() - 1);
      const rates = Array.from({ length: 9 }, () => pace * (random() - 0.8));
      let [positions, h] = [placed(places, cell), cell];
      const batch = new PairBatch(await openOn(name), [{ positions, cell }], { ...COUNT, skin });
      for (let step = 0; step < 20; step++) {
        h = strained(h, rates);
        positions = strained(positions, rates).map((x) => x + 0.01 * (random() - 0.5));
        batch.backend.write(batch.cell, h);
        const [count] = await batch.move(positions).run().get("energy");
        const counted = [4 - 2e-5, 4 + 2e-5].map(async (cutoff) => {
          const options = { ...COUNT, parameters: COUNT.parameters.with(3, cutoff * cutoff) };
          const fresh = new PairBatch(await openOn("reference"), [{ positions, cell: h }], options);
          return -(await fresh.run().get("energy"))[0]!;
        });
        const [least, most] = await Promise.all(counted);
        assert(least! <= -count! && -count! <= most!, `skin ${skin}, step ${step}: ${count}`);
      }
      const [builds] = await batch.builds();
      assert(builds! < 20 && (pace < 0.01 || builds! > 1), `${builds}`);
    }
  });

  for (const lost of [NaN, Infinity, -Infinity, 1e30, -3e38]) {
    testOn(
      name,
      `a position of ${lost} stops the run and names the first such system`,
      async () => {
        const near = { positions: [0, 0, 0, 3, 0, 0], cell: [12, 0, 0, 0, 12, 0, 0, 0, 12] };
        const free = { positions: [0, 0, 0, 2, 0, 0] };
        const batch = new PairBatch(await openOn(name), [near, near, free, free], FIRM).run();
        const good = [near, near, free, free].flatMap(({ positions }) => positions);
        const before = await batch.get("forces");
        for (const at of [9, 15]) {
          batch.backend.write(batch.control, [0, 0, 0, 0]);
          const bad = good.slice();
          bad[at] = lost;
          bad[19] = lost;
          batch.move(bad).run();
          const control = await batch.get("control");
          assertEquals(control[Control.HALT], 1);
          assertEquals(control[Control.DIVERGED], at === 9 ? 2 : 3);
          assertEquals((await batch.get("forces")).slice(0, 6), before.slice(0, 6));
        }
        batch.backend.write(batch.control, [0, 0, 0, 0]);
        batch.move(good).run();
        assertEquals(await batch.get("control"), [0, 0, 0, 0]);
        assertEquals(await batch.get("forces"), before);
        assertEquals(await batch.builds(), [1, 1, 1, 1]);
      },
    );
  }

  testOn(
    name,
    `positions that are no numbers from the first stop the run, and it goes on with good ones`,
    async () => {
      const batch = new PairBatch(await openOn(name), [{ positions: [0, 0, 0, 2, NaN, 0] }], FIRM);
      assertEquals((await batch.run().get("control")).slice(0, 2), [1, 1]);
      batch.backend.write(batch.control, [0, 0, 0, 0]);
      batch.move([0, 0, 0, 2, 0, 0]).run();
      assert(
        Math.abs((await batch.get("energy"))[0]! - firmEnergy([0, 0, 0, 2, 0, 0], 0, 3)) < 1e-6,
      );
    },
  );

  testOn(name, `a cell that has collapsed stops the run`, async () => {
    const system = { positions: [0, 0, 0], cell: [9, 0, 0, 0, 9, 0, 0, 1e-9, 1e-9] };
    const batch = new PairBatch(await openOn(name), [system], FIRM).run();
    assertEquals((await batch.get("control")).slice(0, 2), [1, 1]);
    batch.backend.write(batch.cell, [9, 0, 0, 0, 9, 0, 0, 0, 9]);
    batch.backend.write(batch.control, [0, 0, 0, 0]);
    assertEquals(await batch.run().get("control"), [0, 0, 0, 0]);
  });

  testOn(name, `nothing of a system at rest is looked at`, async () => {
    const system = { positions: [0, 0, 0, 3, 0, 0] };
    const batch = new PairBatch(await openOn(name), [system, system], FIRM);
    batch.backend.write(batch.active, [0, 1]);
    batch.move([NaN, 0, 0, 3, 0, 0, 0, 0, 0, 3, 0, 0]).run();
    assertEquals(await batch.get("control"), [0, 0, 0, 0]);
    assertEquals(await batch.builds(), [0, 1]);
    assertEquals((await batch.get("forces")).slice(0, 6), [0, 0, 0, 0, 0, 0]);
    assert((await batch.get("forces"))[6]! !== 0);
  });

  testOn(
    name,
    `pairs loaded from a checkpoint give the same bits as those that were saved`,
    async () => {
      const random = uniform(11);
      const cell = [11, 0, 0, 0, 12, 0, 0, 0, 13];
      const positions = Array.from({ length: 300 }, () => 12 * random());
      const images = positions.map(() => 0);
      const system = { positions, cell, images };
      const batch = new PairBatch(await openOn(name), [system, system], { ...FIRM, skin: 1 }).run();
      const moved = [...positions, ...positions].map((x) => x + 0.4 * (random() - 0.5));
      batch.move(moved).run();
      assertEquals(await batch.builds(), [1, 1]);
      const again = new PairBatch(await openOn(name), [system, system], { ...FIRM, skin: 1 });
      const saved = await batch.backend.savePairs(batch.pairs);
      again.backend.loadPairs(again.pairs, again.offsets, saved);
      again.move(moved).run();
      for (const what of ["forces", "energy", "virial"] as const) {
        assertEquals(await again.get(what), await batch.get(what));
      }
      assertEquals(await again.builds(), [1, 1]);
      const fresh = new PairBatch(await openOn(name), [system, system], FIRM).move(moved).run();
      const before = await batch.get("forces");
      assert((await fresh.get("forces")).some((f, i) => f !== before[i]));
    },
  );

  testOn(
    name,
    `pairs loaded from a checkpoint are found anew where atoms have gone too far`,
    async () => {
      const system = { positions: [0, 0, 0, 6, 0, 0], cell: [20, 0, 0, 0, 20, 0, 0, 0, 20] };
      const batch = new PairBatch(await openOn(name), [system, system], { ...FIRM, skin: 1 }).run();
      const saved = await batch.backend.savePairs(batch.pairs);
      const again = new PairBatch(await openOn(name), [system, system], { ...FIRM, skin: 1 });
      again.backend.loadPairs(again.pairs, again.offsets, saved);
      const near = [0, 0, 0, 3.5, 0, 0];
      again.move([...system.positions, ...near]).run();
      assertEquals(await again.builds(), [1, 2]);
      const [none, one] = await again.get("energy");
      assertEquals(none, 0);
      assert(Math.abs(one! - firmEnergy(near, 0, 3)) < 1e-6);
    },
  );

  testOn(name, `a gas has far more room than atoms`, async () => {
    const random = uniform(12);
    const [side, far] = [400, Array.from({ length: 60 }, () => [random(), random(), random()])];
    const positions = far.flatMap((place) => {
      const x = place.map((u) => side * (u - 0.5));
      return [...x, x[0]! + 2, x[1]! - 1, x[2]! + 1.5];
    });
    const cell = [side, 0, 0, 0, side, 0, 0, 0, side];
    const gas = [{ positions, cell }, { positions }, { positions, cell, pbc: [0, 1, 0] }];
    const batch = new PairBatch(await openOn(name), gas, FIRM).run();
    const pair = firmEnergy([0, 0, 0, 2, -1, 1.5], 0, 3);
    for (const energy of await batch.get("energy")) {
      assert(Math.abs(energy / (60 * pair) - 1) < 1e-4, `${energy} ${60 * pair}`);
    }
  });

  testOn(name, `lists grow as far as needed`, async () => {
    const random = uniform(3);
    const positions = Array.from({ length: 1500 }, () => 5 * random());
    const batch = new PairBatch(
      await openOn(name),
      [{ positions: [0, 0, 0] }, { positions }],
      FIRM,
    );
    const [, energy] = await batch.run().get("energy");
    let sum = 0;
    for (let i = 0; i < 1500; i += 3) {
      for (let j = 0; j < i; j += 3) sum += firmEnergy(positions, i, j);
    }
    assert(Math.abs(energy! / sum - 1) < 1e-5, `${energy} ${sum}`);
  });
}

test("wasm: forces are bitwise independent of when pairs were pruned", async () => {
  const random = uniform(8);
  const cell = [15, 0, 0, 0, 16, 0, 0, 0, 17];
  const positions = Array.from({ length: 900 }, () => 16 * random());
  const make = async () =>
    new PairBatch(await openOn("wasm"), [{ positions, cell }], { ...FIRM, skin: 1 });
  const [slow, quick] = [(await make()).run(), (await make()).run()];
  const velocities = positions.map(() => 0.02 * (random() - 0.5));
  let now = positions;
  for (let step = 0; step < 20; step++) {
    now = now.map((x, i) => x + velocities[i]!);
    slow.move(now).run();
  }
  quick.move(now).run();
  assertEquals([await slow.builds(), await quick.builds()], [[1], [1]]);
  for (const what of ["forces", "energy", "virial"] as const) {
    assertEquals(await slow.get(what), await quick.get(what));
  }
});

/** Lattice coordinates as positions. */
function placed(places: readonly number[], cell: readonly number[]): number[] {
  return places.map((_, i) =>
    [0, 1, 2].reduce((sum, k) => sum + places[i - i % 3 + k]! * cell[3 * k + i % 3]!, 0)
  );
}

/** Vectors a little further strained, as float32 has them. */
function strained(vectors: readonly number[], rates: readonly number[]): number[] {
  return vectors.map((x, i) => Math.fround(x + placed(vectors, rates)[i]!));
}

/** The energy of a pair of {@linkcode FIRM}. */
function firmEnergy(positions: readonly number[], i: number, j: number): number {
  const r = Math.hypot(...[0, 1, 2].map((d) => positions[i + d]! - positions[j + d]!));
  if (r >= 4) return 0;
  const q = Math.exp(-0.3 * (r - 2)), x = Math.max(0, r - 3);
  return q * (q - 2) * (1 - 10 * x ** 3 + 15 * x ** 4 - 6 * x ** 5);
}

/** Energies, forces and virials, as far as float32 goes. */
async function assertClose(a: PairBatch, b: PairBatch): Promise<void> {
  for (const what of ["energy", "forces", "virial"] as const) {
    const [x, y] = [await a.get(what), await b.get(what)];
    const size = y.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
    for (const i of y.keys()) {
      assert(Math.abs(x[i]! - y[i]!) <= 4e-5 * size, `${what} ${i}: ${x[i]} ${y[i]}`);
    }
  }
}

/** Moves some atoms by whole lattice vectors, and counts it. */
function wrapSome(
  positions: number[],
  images: number[],
  cell: readonly number[],
  random: () => number,
): void {
  for (let a = 0; a < positions.length; a += 3) {
    if (random() < 0.7) continue;
    for (let k = 0; k < 3; k++) {
      const n = Math.floor(3 * random()) - 1;
      images[a + k]! += n;
      for (let d = 0; d < 3; d++) positions[a + d]! -= n * cell[3 * k + d]!;
    }
  }
}

/** Pairs as `i j a b c`, i before j or its own image on one side. */
function list({ count, i, j, shifts }: SystemPairs): string[] {
  return Array.from(
    { length: count },
    (_, p) => `${i[p]} ${j[p]} ${[...shifts.subarray(3 * p, 3 * p + 3)].join(" ")}`,
  );
}

/** All images that could be in reach, one by one; those whose distance is the reach, but for rounding, are apart. */
function lookEverywhere(
  { positions, cell, pbc }: Required<Pick<PairSystem, "positions" | "cell" | "pbc">>,
  reach: number,
): { found: Set<string>; onEdge: Set<string> } {
  const [found, onEdge] = [new Set<string>(), new Set<string>()];
  const row = (k: number) => cell.slice(3 * k, 3 * k + 3);
  const most = [0, 1, 2].map((k) => {
    if (pbc[k] === 0) return 0;
    // No pair is further apart than the diagonals of all places, and no row of images is denser than its height.
    const others = [0, 1, 2].filter((o) => o !== k && pbc[o] !== 0).map(row);
    const height = heightOver(row(k), others);
    return Math.ceil((reach + spreadAlong(positions, others, row(k))) / height);
  });
  for (let i = 0; i < positions.length; i += 3) {
    for (let j = i; j < positions.length; j += 3) {
      for (let a = -most[0]!; a <= most[0]!; a++) {
        for (let b = -most[1]!; b <= most[1]!; b++) {
          for (let c = -most[2]!; c <= most[2]!; c++) {
            if (i === j && !(a > 0 || a === 0 && (b > 0 || b === 0 && c > 0))) continue;
            const r = Math.hypot(
              ...[0, 1, 2].map((d) =>
                positions[i + d]! - positions[j + d]! - a * cell[d]! - b * cell[3 + d]! -
                c * cell[6 + d]!
              ),
            );
            const key = `${i / 3} ${j / 3} ${a} ${b} ${c}`;
            if (Math.abs(r - reach) < 1e-9) onEdge.add(key);
            else if (r < reach) found.add(key);
          }
        }
      }
    }
  }
  return { found, onEdge };
}

/** The part of a vector that is normal to all others. */
function normalTo(vector: readonly number[], others: readonly (readonly number[])[]): number[] {
  const basis: number[][] = [];
  for (const other of [...others, vector]) {
    let rest = [...other];
    for (const unit of basis) {
      const along = rest.reduce((sum, x, d) => sum + x * unit[d]!, 0);
      rest = rest.map((x, d) => x - along * unit[d]!);
    }
    if (other === vector) return rest;
    const length = Math.hypot(...rest);
    basis.push(rest.map((x) => x / length));
  }
  return [];
}

function heightOver(vector: readonly number[], others: readonly (readonly number[])[]): number {
  return Math.hypot(...normalTo(vector, others));
}

/** From the first to the last atom along what is normal to the other vectors. */
function spreadAlong(
  positions: readonly number[],
  others: readonly (readonly number[])[],
  vector: readonly number[],
): number {
  const normal = normalTo(vector, others);
  const length = Math.hypot(...normal);
  const places: number[] = [];
  for (let i = 0; i < positions.length; i += 3) {
    places.push([0, 1, 2].reduce((sum, d) => sum + positions[i + d]! * normal[d]! / length, 0));
  }
  return Math.max(...places) - Math.min(...places);
}
