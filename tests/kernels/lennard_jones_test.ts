import { assert, assertAlmostEquals, assertEquals } from "@std/assert";

import { ALL_BACKENDS, BACKENDS, openOn, testOn, TOLERANCE } from "./lab.ts";
import { assertClose, ljParameters, PairBatch, type PairSystem, uniform } from "./pair_case.ts";

/** Argon-like, as the golden numbers have it. */
const GOLDEN = { parameters: ljParameters([[0.01, 3.4]], 10), cutoff: 10 } as const;

/** Two species with parameters of their own for the unlike pair, and cutoffs that differ. */
const MIXED = {
  parameters: [
    ...ljParameters([[0.01, 3.4]], 8, true),
    ...ljParameters([[0.02, 3.0], [0.02, 3.0]], 7, true),
    ...ljParameters([[0.015, 2.8]], 6.5, true),
  ],
  cutoff: 8,
} as const;

/** A liquid-like system in a skewed cell: no two atoms closer than 2.6 Å. */
function liquid(seed: number, atoms = 60): Required<Omit<PairSystem, "images" | "pbc">> {
  const random = uniform(seed);
  const [a, b, c] = [14, 13, 15];
  const cell = [a, 0, 0, 2, b, 0, -3, 1, c];
  const positions: number[] = [];
  while (positions.length < 3 * atoms) {
    const f = [random(), random(), random()];
    const x = [0, 1, 2].map((d) => f.reduce((sum, fk, k) => sum + fk * cell[3 * k + d]!, 0));
    if (isFree(x, positions, cell)) positions.push(...x);
  }
  return { positions, cell, species: Array.from({ length: atoms }, () => random() < 0.5 ? 0 : 1) };
}

function isFree(x: number[], positions: number[], cell: readonly number[]): boolean {
  for (let j = 0; j < positions.length; j += 3) {
    for (let n = 0; n < 27; n++) {
      const [p, q, r] = [n % 3 - 1, Math.floor(n / 3) % 3 - 1, Math.floor(n / 9) - 1];
      const distance = Math.hypot(
        ...[0, 1, 2].map((d) =>
          x[d]! - positions[j + d]! - p * cell[d]! - q * cell[3 + d]! - r * cell[6 + d]!
        ),
      );
      if (distance < 2.6) return false;
    }
  }
  return true;
}

for (const name of ALL_BACKENDS) {
  const open = async () => await openOn(name);
  const tolerance = TOLERANCE[name === "reference" ? "f64" : "f32"];
  const near = (actual: number, expected: number, scale = Math.abs(expected)) =>
    assertAlmostEquals(actual, expected, 2 * tolerance * scale);

  testOn(name, `lennard_jones() of a dimer, by hand`, async () => {
    const dimer = async (x: number) =>
      new PairBatch(await open(), [{ positions: [1, 2, 3, 1 + x, 2, 3] }], GOLDEN).run();
    const at5 = await dimer(5);
    // 4ε((σ/r)¹² − (σ/r)⁶) and 24ε(2(σ/r)¹² − (σ/r)⁶)/r with σ/r = 0.68.
    near((await at5.get("energy"))[0]!, -0.0035637081, 0.0035637081 + 1e-10 / tolerance);
    near((await at5.get("forces"))[0]!, 0.0038072604, 0.0038072604 + 1e-10 / tolerance);
    near((await at5.get("forces"))[3]!, -0.0038072604, 0.0038072604 + 1e-10 / tolerance);
    near((await at5.get("virial"))[0]!, -5 * 0.0038072604, 0.02 + 1e-9 / tolerance);
    assertEquals((await at5.get("virial")).slice(1).map(Math.abs), Array(8).fill(0));
    const minimum = await dimer(3.4 * 2 ** (1 / 6));
    near((await minimum.get("energy"))[0]!, -0.01);
    near((await minimum.get("forces"))[0]!, 0, 0.01);
    assert((await (await dimer(3.4)).get("forces"))[0]! < 0, "pushed apart at σ");
    assertEquals(await (await dimer(10.001)).get("energy"), [0]);
    assertEquals((await (await dimer(10.001)).get("forces")).map(Math.abs), Array(6).fill(0));
  });

  testOn(name, `energies and forces of a potential that is switched off`, async () => {
    const parameters = ljParameters([[0.01, 3.4]], 8.5);
    const options = { parameters, cutoff: 8.5, switchWidth: 1.5 };
    const at = async (x: number) =>
      new PairBatch(await open(), [{ positions: [0, 0, 0, 0, x, 0] }], options).run();
    assertAlmostEquals((await (await at(7.5)).get("energy"))[0]!, -0.000271941105, 3e-9);
    assertAlmostEquals((await (await at(7.5)).get("forces"))[1]!, 0.000555574432, 6e-9);
    assertAlmostEquals((await (await at(8.4)).get("energy"))[0]!, -4.68379e-7, 1e-9);
    assertEquals(await (await at(8.501)).get("energy"), [0]);
    assertEquals(
      await (await at(6.9)).get("energy"),
      await new PairBatch(
        await open(),
        [{ positions: [0, 0, 0, 0, 6.9, 0] }],
        { parameters, cutoff: 8.5 },
      ).run().get("energy"),
    );
  });

  testOn(
    name,
    `a crystal whose cell is shorter than the cutoff has the energy of all images`,
    async () => {
      const cube = [0, 1].flatMap((i) => [0, 1].flatMap((j) => [0, 1].map((k) => [i, j, k])));
      const sites = [[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]];
      const positions = cube.flatMap((c) =>
        sites.flatMap((s) => s.map((x, d) => 5.26 * (x + c[d]!)))
      );
      const cell = [10.52, 0, 0, 0, 10.52, 0, 0, 0, 10.52];
      const primitive = [0, 2.63, 2.63, 2.63, 0, 2.63, 2.63, 2.63, 0];
      for (const [cutoff, expected] of [[5.2, -0.0606592745], [8.5, -0.0842277706]] as const) {
        const options = { parameters: ljParameters([[0.0104, 3.4]], cutoff), cutoff };
        const [many] = await new PairBatch(await open(), [{ positions, cell }], options).run().get(
          "energy",
        );
        const [one] = await new PairBatch(
          await open(),
          [{ positions: [7, 8, 9], cell: primitive }],
          options,
        )
          .run().get("energy");
        // The golden numbers are of a float32 program.
        near(many! / 32, expected, 1e-8 / tolerance + Math.abs(expected));
        near(one!, many! / 32);
      }
    },
  );

  testOn(name, `each pair of species has its own parameters and cutoff`, async () => {
    const { positions, cell, species } = liquid(1);
    const mixed = new PairBatch(await open(), [{ positions, cell, species }], MIXED).run();
    const only = (type: number) => species.flatMap((t, a) => t === type ? [a] : []);
    const part = async (atoms: number[], row: number) => {
      const parameters = MIXED.parameters.slice(4 * row, 4 * row + 4);
      const of = atoms.flatMap((a) => positions.slice(3 * a, 3 * a + 3));
      const batch = new PairBatch(await open(), [{ positions: of, cell }], {
        ...MIXED,
        parameters,
      });
      return (await batch.run().get("energy"))[0]!;
    };
    const all = species.map((_, a) => a);
    // The unlike pairs are those of all atoms without those among the like.
    const unlike = await part(all, 1) - await part(only(0), 1) - await part(only(1), 1);
    const expected = await part(only(0), 0) + unlike + await part(only(1), 3);
    near((await mixed.get("energy"))[0]!, expected, 3 * Math.abs(expected));
  });

  for (
    const [kind, options, isMixed] of [
      ["one species", { parameters: ljParameters([[0.01, 3.4]], 8, true), cutoff: 8 }, false],
      ["two species, switched off", { ...MIXED, switchWidth: 1 }, true],
    ] as const
  ) {
    const system = (seed: number) => {
      const { positions, cell, species } = liquid(seed);
      return isMixed ? { positions, cell, species } : { positions, cell };
    };

    testOn(
      name,
      `forces have the same bits with and without energy and virial: ${kind}`,
      async () => {
        const [none, energy, both] = await Promise.all(
          [0, 1, 3].map(async (want) =>
            new PairBatch(await open(), [system(2)], { ...options, want }).run()
          ),
        );
        assertEquals(await energy!.get("forces"), await none!.get("forces"));
        assertEquals(await both!.get("forces"), await none!.get("forces"));
        assertEquals(await none!.get("energy"), [0]);
        assertEquals(await none!.get("virial"), Array(9).fill(0));
        assertEquals(await energy!.get("virial"), Array(9).fill(0));
        assertEquals(await energy!.get("energy"), await both!.get("energy"));
      },
    );

    testOn(
      name,
      `a system has the same bits alone and in any place of a batch: ${kind}`,
      async () => {
        const alone = new PairBatch(await open(), [system(3)], options).run();
        const kinds = [0, 1, 2, 3, 4].map((i) => system(100 + i));
        const others = Array.from({ length: 63 }, (_, i) => kinds[i % 5]!);
        for (const slot of [0, 31, 63]) {
          const batch = new PairBatch(await open(), others.toSpliced(slot, 0, system(3)), options)
            .run();
          const [from, to] = [3 * batch.offsets[slot]!, 3 * batch.offsets[slot + 1]!];
          assertEquals((await batch.get("forces")).slice(from, to), await alone.get("forces"));
          assertEquals((await batch.get("energy"))[slot], (await alone.get("energy"))[0]);
          assertEquals(
            (await batch.get("virial")).slice(9 * slot, 9 * slot + 9),
            await alone.get("virial"),
          );
        }
      },
    );

    testOn(name, `the order of atoms makes no difference but of rounding: ${kind}`, async () => {
      const { positions, cell, species } = { species: undefined, ...system(4) };
      const batch = new PairBatch(await open(), [system(4)], options).run();
      const random = uniform(9);
      const order = positions.map((_, i) => i).slice(0, positions.length / 3)
        .map((a) => [random(), a] as const).sort(([a], [b]) => a - b).map(([, a]) => a);
      const shuffled = new PairBatch(await open(), [{
        positions: order.flatMap((a) => positions.slice(3 * a, 3 * a + 3)),
        cell,
        ...species === undefined ? {} : { species: order.map((a) => species[a]!) },
      }], options).run();
      const forces = await batch.get("forces");
      const expected = order.flatMap((a) => forces.slice(3 * a, 3 * a + 3));
      assertClose(await shuffled.get("forces"), expected, 4 * tolerance);
      near((await shuffled.get("energy"))[0]!, (await batch.get("energy"))[0]!);
    });

    testOn(name, `forces are added, never set, and add up to nothing: ${kind}`, async () => {
      const batch = new PairBatch(await open(), [system(5)], options).run();
      const once = await batch.get("forces");
      const size = Math.max(...once.map(Math.abs));
      for (let d = 0; d < 3; d++) {
        const sum = once.reduce((sum, f, i) => i % 3 === d ? sum + f : sum, 0);
        assert(Math.abs(sum) < 20 * tolerance * size, `${sum}`);
      }
      batch.sum();
      assertClose(await batch.get("forces"), once.map((f) => 2 * f), tolerance);
      near(
        (await batch.get("energy"))[0]!,
        2 * (await new PairBatch(await open(), [system(5)], options).run().get("energy"))[0]!,
      );
    });

    testOn(name, `forces and virial are derivatives of the energy: ${kind}`, async () => {
      const { positions, cell } = system(6);
      const { species } = { species: undefined, ...system(6) };
      const forces = new PairBatch(await open(), [system(6)], options).run();
      // Of the energy in float64, whichever backend has the forces.
      const energy = async (x: readonly number[], h: readonly number[]) =>
        (await new PairBatch(
          await openOn("reference"),
          [{ positions: x, cell: h, ...species === undefined ? {} : { species } }],
          { ...options, want: 1 },
        ).run().get("energy"))[0]!;
      // Where a force ends at the cutoff, pairs that cross it leave an error as large as the step.
      const step = 2e-5;
      const size = Math.max(...(await forces.get("forces")).map(Math.abs));
      for (const i of [0, 10, 50, 179]) {
        const at = async (by: number) => await energy(positions.with(i, positions[i]! + by), cell);
        near(
          (await forces.get("forces"))[i]!,
          (await at(-step) - await at(step)) / (2 * step),
          10 * size + 1e-7 / tolerance,
        );
      }
      for (let k = 0; k < 9; k++) {
        const strained = (by: number) => (v: number, i: number, all: readonly number[]) =>
          i % 3 === k % 3 ? v + by * all[i - i % 3 + Math.floor(k / 3)]! : v;
        const at = async (by: number) =>
          await energy(positions.map(strained(by)), cell.map(strained(by)));
        const slope = (await at(step) - await at(-step)) / (2 * step);
        near((await forces.get("virial"))[k]!, -slope, 10 + 4e-4 / tolerance);
      }
    });
  }

  testOn(name, `nothing of a system at rest is changed`, async () => {
    const { positions, cell } = liquid(7);
    const options = { parameters: ljParameters([[0.01, 3.4]], 8), cutoff: 8 };
    const batch = new PairBatch(await open(), [{ positions, cell }, { positions, cell }], options)
      .run();
    batch.backend.write(batch.active, [1, 0]);
    const [forces, energy, virial] = [
      await batch.get("forces"),
      await batch.get("energy"),
      await batch.get("virial"),
    ];
    batch.move([...positions, ...positions].map((x) => 1.001 * x)).sum();
    const half = forces.length / 2;
    assertEquals((await batch.get("forces")).slice(half), forces.slice(half));
    assertEquals((await batch.get("energy"))[1], energy[1]);
    assertEquals((await batch.get("virial")).slice(9), virial.slice(9));
    assert((await batch.get("energy"))[0] !== energy[0]);
  });
}

Deno.test("lennard_jones() in float32 is accurate to rounding, also far from the origin", async () => {
  const { positions, cell } = liquid(8, 60);
  const options = { parameters: ljParameters([[0.01, 3.4]], 8, true), cutoff: 8 };
  for (const away of [0, 1000]) {
    // What float32 makes of the positions is what both are given.
    const there = Array.from(Float32Array.from(positions.map((x) => x + away)));
    const on = async (name: string) =>
      new PairBatch(await openOn(name), [{ positions: there, cell }], options).run();
    const [plain, ...others] = await Promise.all(BACKENDS.map(on));
    const bound = away === 0 ? 5e-6 : 2e-3;
    for (const what of ["energy", "forces", "virial"] as const) {
      const exact = await plain!.get(what);
      for (const other of others) assertClose(await other.get(what), exact, bound);
    }
  }
});
