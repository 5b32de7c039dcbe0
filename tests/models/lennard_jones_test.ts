/** The Lennard-Jones potential against known answers, and its errors. */
import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { fcc, System } from "../../src/batch/mod.ts";
import { lennardJones, type LennardJonesOptions, morse } from "../../src/models/mod.ts";
import { assertNear, evaluate } from "../dynamics/atoms.ts";
import { on, PAIR_BACKENDS } from "../dynamics/backends.ts";

/** Tolerances for sums of few terms: digits of the known answers, or of float32. */
const DIGITS = { reference: 1e-8, wasm: 1e-5 };

function dimer(r: number, symbols: string[] = ["Ar", "Ar"]): System {
  return new System({ symbols, positions: [[1, 2, 3], [1 + r, 2, 3]] });
}

Deno.test(
  "a Lennard-Jones dimer has the reference energy and force",
  on(PAIR_BACKENDS, async (backend) => {
    const model = lennardJones({ epsilon: 0.01, sigma: 3.4, cutoff: 10, truncation: "cut" });
    const { energy, forces } = await evaluate(model, [dimer(5)], backend);
    const digits = Math.max(DIGITS[backend], 2e-8); // eight digits are known
    assertNear(energy, [-0.0035637081], digits);
    const f = 0.0038072604;
    assertNear(forces, [f, 0, 0, -f, 0, 0], digits);
  }),
);

Deno.test(
  "a switched Lennard-Jones dimer has the reference energies and force, and no energy beyond the cutoff",
  on(PAIR_BACKENDS, async (backend) => {
    const model = lennardJones({
      epsilon: 0.01,
      sigma: 3.4,
      cutoff: 8.5,
      truncation: "switch",
      switchWidth: 1.5,
    });
    const systems = [dimer(7.5), dimer(8.4), dimer(8.51)];
    const { energy, forces } = await evaluate(model, systems, backend);
    assertNear([energy[0]!], [-0.000271941105], DIGITS[backend]);
    // The second is known to six digits; float32 has fewer where the switch is nearly 0, because the distance
    // is rounded.
    assertNear([energy[1]!], [-4.68379e-7], backend === "reference" ? 1e-5 : 1e-3);
    assertEquals(energy[2], 0);
    assertNear([forces[0]!], [0.000555574432], DIGITS[backend]);
    assertEquals(forces.slice(12), [0, 0, 0, 0, 0, 0]);
  }),
);

Deno.test(
  "crystals of argon have the reference energies, with 12 and with 78 neighbors",
  on(PAIR_BACKENDS, async (backend) => {
    const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
    for (const [cutoff, golden] of [[5.2, -0.0606592745], [8.5, -0.0842277706]] as const) {
      const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff, truncation: "cut" });
      const { energy } = await evaluate(model, [crystal], backend);
      assertNear([energy[0]! / 32], [golden], Math.max(DIGITS[backend], 2e-7)); // measured in float32
    }
    // Twelve neighbors at a/√2, each pair shared by two atoms.
    const nearest = lennardJones({
      epsilon: 0.0104,
      sigma: 3.4,
      cutoff: 5.2,
      truncation: "cut",
    });
    const { energy } = await evaluate(nearest, [crystal], backend);
    const q = (3.4 * Math.SQRT2 / 5.26) ** 6;
    assertNear(
      [energy[0]! / 32],
      [6 * 4 * 0.0104 * (q * q - q)],
      backend === "reference" ? 1e-12 : 1e-5,
    );
  }),
);

Deno.test(
  "a dimer at the bottom of its well has energy -epsilon and no force",
  on(PAIR_BACKENDS, async (backend) => {
    const r = 3.4 * 2 ** (1 / 6);
    const lj = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 20, truncation: "cut" });
    const well = morse({ depth: 0.34, width: 1.36, distance: 2.9, cutoff: 20, truncation: "cut" });
    for (const [model, at, depth] of [[lj, r, 0.0104], [well, 2.9, 0.34]] as const) {
      const { energy, forces } = await evaluate(model, [dimer(at)], backend);
      assertNear(energy, [-depth], DIGITS[backend]);
      const off = Math.max(...forces.map(Math.abs));
      assertAlmostEquals(off, 0, (backend === "reference" ? 1e-14 : 1e-5) * depth * 10);
    }
  }),
);

Deno.test(
  "a Morse dimer has the energy and force of the formula",
  on(PAIR_BACKENDS, async (backend) => {
    const [depth, width, distance, r] = [0.34, 1.36, 2.9, 3.4];
    const q = Math.exp(-width * (r - distance));
    const model = morse({ depth, width, distance, cutoff: 8, truncation: "cut" });
    const { energy, forces } = await evaluate(model, [dimer(r)], backend);
    assertNear(energy, [depth * ((1 - q) ** 2 - 1)], DIGITS[backend]);
    const slope = 2 * depth * width * (1 - q) * q; // dE/dr
    assertNear(forces, [slope, 0, 0, -slope, 0, 0], DIGITS[backend]);
  }),
);

Deno.test(
  "shift subtracts the energy at the cutoff from each pair",
  on(PAIR_BACKENDS, async (backend) => {
    const at = { epsilon: 0.0104, sigma: 3.4, cutoff: 6 };
    const [shifted, cut] = [lennardJones(at), lennardJones({ ...at, truncation: "cut" })];
    const near = dimer(6 - 1e-4);
    const { energy: [e] } = await evaluate(shifted, [near], backend);
    const { energy: [c] } = await evaluate(cut, [near], backend);
    const q = (3.4 / 6) ** 6;
    assertAlmostEquals(c! - e!, 4 * 0.0104 * (q * q - q), 1e-9);
    assertAlmostEquals(e!, 0, 1e-6);
  }),
);

Deno.test(
  "unlike atoms mix by Lorentz and Berthelot, geometrically, or as given",
  on(PAIR_BACKENDS, async (backend) => {
    const [ar, kr] = [{ epsilon: 0.0104, sigma: 3.4 }, { epsilon: 0.014, sigma: 3.65 }];
    const own = { epsilon: 0.02, sigma: 3 };
    const cases: [Partial<LennardJonesOptions>, { epsilon: number; sigma: number }][] = [
      [{}, { epsilon: Math.sqrt(0.0104 * 0.014), sigma: 3.525 }],
      [{ mixing: "geometric" }, {
        epsilon: Math.sqrt(0.0104 * 0.014),
        sigma: Math.sqrt(3.4 * 3.65),
      }],
      [{ pairs: { "Kr-Ar": own } }, own],
    ];
    for (const [options, expected] of cases) {
      const mixture = lennardJones({ species: { Ar: ar, Kr: kr }, cutoff: 9, ...options });
      const systems = [dimer(4, ["Ar", "Kr"]), dimer(4), dimer(4, ["Kr", "Kr"])];
      const { energy, forces } = await evaluate(mixture, systems, backend);
      for (const [i, pair] of [expected, ar, kr].entries()) {
        const alone = await evaluate(lennardJones({ ...pair, cutoff: 9 }), [dimer(4)], backend);
        assertNear([energy[i]!], alone.energy, DIGITS[backend]);
        assertNear(forces.slice(6 * i, 6 * i + 6), alone.forces, DIGITS[backend]);
      }
    }
  }),
);

Deno.test("the switch makes energy, force and slope of the force continuous", async () => {
  const at = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };
  const model = lennardJones({ ...at, truncation: "switch", switchWidth: 1.5 });
  const plain = lennardJones({ ...at, truncation: "cut" });
  const h = 1e-5;
  for (const edge of [7, 8.5]) {
    const points = [-2 * h, -h, h, 2 * h].map((d) => dimer(edge + d));
    const { energy, forces } = await evaluate(model, points);
    const f = [0, 1, 2, 3].map((i) => forces[6 * i]!);
    assertAlmostEquals(energy[1]!, energy[2]!, 3e-8);
    assertAlmostEquals(f[1]!, f[2]!, 1e-7);
    // Slope of the force on both sides.
    assertAlmostEquals((f[1]! - f[0]!) / h, (f[3]! - f[2]!) / h, 1e-5);
  }
  // Below its range the switch has no effect.
  const [own, other] = [await evaluate(model, [dimer(6.9)]), await evaluate(plain, [dimer(6.9)])];
  assertEquals(own, other);
  // Within its range the switch changes the energy.
  const [a, b] = [await evaluate(model, [dimer(8)]), await evaluate(plain, [dimer(8)])];
  assertAlmostEquals(
    a.energy[0]! / b.energy[0]!,
    1 - 10 * (2 / 3) ** 3 + 15 * (2 / 3) ** 4 - 6 * (2 / 3) ** 5,
    1e-9,
  );
});

Deno.test(
  "potentials of pairs name the parameter or the atom that is wrong",
  on(PAIR_BACKENDS, async (backend) => {
    const refuses = (options: unknown, message: string) =>
      assertThrows(() => lennardJones(options as LennardJonesOptions), Error, message);
    const good = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };
    refuses(
      { ...good, epsilon: -1 },
      "epsilon must be 0 or more and finite; got -1",
    );
    refuses({ ...good, sigma: NaN }, "sigma must be above 0 and finite; got NaN");
    refuses({ ...good, cutoff: "8" }, 'cutoff must be a number; got "8"');
    refuses({ ...good, skin: 0 }, "skin must be above 0");
    refuses(
      { ...good, truncation: "smooth" },
      'truncation must be "shift", "switch" or "cut"; got "smooth"',
    );
    refuses(
      { ...good, truncation: "switch", switchWidth: 9 },
      "switchWidth must be below the cutoff",
    );
    refuses({ ...good, rc: 8 }, "must be among epsilon, sigma, species, mixing, pairs, cutoff");
    refuses({ Ar: good, cutoff: 8 }, 'got "Ar"');
    refuses(undefined, "its options must be an object; got undefined");
    refuses({ species: { Xx: good }, cutoff: 8 }, "Xx");
    refuses({ species: { Ar: good }, pairs: { "Ar-Kr": good }, cutoff: 8 }, "Ar-Kr");
    const argon = lennardJones({ species: { Ar: good }, cutoff: 8 });
    let message = "";
    try {
      await evaluate(argon, [dimer(4), dimer(4, ["Ar", "Ne"])], backend);
    } catch (error) {
      message = (error as Error).message;
    }
    assertEquals(
      message,
      "Cannot use a Lennard-Jones potential: it must have parameters of every element; it has those " +
        "of Ar, and atom 1 of system 1 is Ne",
    );
  }),
);

Deno.test("a misspelled option is refused in an instance of a class, too", () => {
  class Parameters {
    readonly epsilon = 0.0104;
    readonly sigma = 3.4;
    readonly cutoff = 6;
  }
  class Misspelled extends Parameters {
    readonly truncaton = "cut";
  }
  assertEquals(lennardJones(new Parameters()).name, lennardJones({ ...new Parameters() }).name);
  assertThrows(() => lennardJones(new Misspelled()), TypeError, "truncaton");
});
